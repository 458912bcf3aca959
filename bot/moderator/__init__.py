"""A mail's path from the mailbox to its orders, the game and the answer; and the work that is due as time passes."""
