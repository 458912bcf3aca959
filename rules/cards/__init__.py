"""The cards that are played by an order of their own, outside battle plans: Karama, Truthtrance, Tleilaxu Ghola and
others."""
