"""Mail in and mail out: servers, messages, the player's own words, reply tokens, letters.

`disposition.examine` reads one message and filters out what no person wrote. `decoding` and `message` take it apart.
`own_words` finds the sender's own words; each step on the way there only removes text. `signatures` opens signed mail.
`identity` and `authentication` are about who sent it and for which seat. `outgoing` builds letters. `mailbox`, `imap`,
`kept_mail` and `transport` are the ways in and out.

A leaf library: it knows RFCs, not games. It imports neither the rules nor the store nor the settings. Its callers pass
plain values in and get plain frozen values back. Whatever a stranger puts into a mailbox, it raises nothing.
"""
