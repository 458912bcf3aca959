"""How long a game lasts: whole games against people who sleep, think and now and then forget.

``people`` says when somebody answers, ``habits`` what they write, ``game`` plays one game with the real sheets,
deputies, tempo and clock, ``measure`` plays many and counts days, stops and mails.
"""
