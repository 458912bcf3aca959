"""Incoming and outgoing mail: servers, messages, the player's own words, reply tokens, letters.

`disposition.examine` reads one message and filters out what was not written by a person. `decoding` and `message` take
the message apart. `own_words` finds the sender's own words: it removes everything else, step by step. `signatures`
opens signed mail. `identity` and `authentication` find out who sent a mail and for which seat. `outgoing` builds
letters. `mailbox`, `imap`, `kept_mail` and `transport` fetch mail and send letters.

This is a leaf library: it knows RFCs, not games. It does not import the rules, the store or the settings. Its callers
pass plain values in and get plain frozen values back. Reading a mail, whatever it contains, never raises an exception.
"""
