"""The bot: mail, orders, moderator, store, clock, reports and command line around the rules.

It never decides a rule: what is legal and what happens is asked of `rules`, and what a player may know of its views.
"""
