"""Who somebody is: his addresses, the reply address that is his alone, and what happens when somebody else tries it."""
