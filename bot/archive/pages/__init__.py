"""The plain pages of a game: its index, its turns, battles, auctions, secrets, and each faction's own story.

They need no script, can be read aloud and printed; their words are those of the letters (``bot.reports``).
"""
