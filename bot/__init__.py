"""The bot: mail, orders, moderator, store, clock, reports and command line around the rules.

It decides no rule: `rules` says what is legal and what happens, and its views say what a player may know.
"""
