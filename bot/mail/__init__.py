"""Mail in and mail out: servers, messages, the player's own words, reply tokens, letters.

`disposition.examine` reads one message: `mime` takes it apart, `words` finds the sender's own words, `robots`
knows what no person wrote, `phrases` holds what programs say in many languages. `identity`, `authentication` and
`dkim` are about who sent it; `outgoing` builds letters; `servers` holds mailboxes and ways out.

A leaf library: it knows RFCs, not games. It imports neither the rules nor the store nor the
settings; whoever uses it passes plain values in and gets plain frozen values back. Nothing that a
stranger can put into a mailbox may raise out of it.
"""
