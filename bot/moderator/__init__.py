"""One mail: from the mailbox to the orders, the game, and what is answered."""
