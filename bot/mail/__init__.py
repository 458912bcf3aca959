"""Mail in and mail out: mailboxes, messages, the player's own words, reply tokens, letters.

A leaf library: it knows RFCs, not games. It imports neither the rules nor the store nor the
settings; whoever uses it passes plain values in and gets plain frozen values back. Nothing that a
stranger can put into a mailbox may raise out of it.
"""
