"""Mail in and mail out: servers, messages, the player's own words, reply tokens, letters.

`disposition.examine` reads one message and filters out what was not written by a person. `decoding` and `message` take
the message apart. `own_words` finds the sender's own words; each step on the way there only removes text. `signatures`
opens signed mail. `identity` and `authentication` find out who sent a mail and for which seat. `outgoing` builds
letters. `mailbox`, `imap`, `kept_mail` and `transport` bring mail in and send letters out.

This is a leaf library: it knows RFCs, not games. It does not import the rules, the store or the settings. Its callers
pass plain values in and get plain frozen values back. Whatever a stranger puts into a mailbox, reading it never raises
an exception.
"""
