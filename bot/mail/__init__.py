"""Mail in and mail out: servers, messages, the player's own words, reply tokens, letters.

`disposition.examine` reads one message and tells what no person wrote. `decoding` and `message` take it apart;
`own_words` finds the sender's own words, and each step on the way there only takes away; `signatures` opens what was
signed. `identity` and `authentication` are about who sent it and for which seat; `outgoing` builds letters; `mailbox`,
`imap`, `kept_mail` and `transport` are the ways in and out.

A leaf library: it knows RFCs, not games. It imports neither the rules nor the store nor the settings; its callers pass
plain values in and get plain frozen values back. Nothing that a stranger can put into a mailbox may raise out of it.
"""
