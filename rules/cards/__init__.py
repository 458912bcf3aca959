"""The cards that are played outside battle plans, each by a separate order: Karama, Truthtrance, Tleilaxu Ghola and
others."""
