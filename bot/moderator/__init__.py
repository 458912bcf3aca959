"""One mail, from the mailbox to the orders, the game and the answer; and what happens because time has passed."""
