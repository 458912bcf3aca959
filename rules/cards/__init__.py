"""Cards that are played by themselves: Karama, Truthtrance, Tleilaxu Ghola."""
