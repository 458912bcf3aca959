"""The way of a mail from the mailbox to its orders, the game and the answer; and what happens because time has
passed."""
