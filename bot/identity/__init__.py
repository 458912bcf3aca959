"""Who somebody is: their addresses, the reply address that is theirs alone, and what happens when somebody else tries
it."""
