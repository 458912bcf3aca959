"""Read what players write as typed values, and write typed values in canonical words.

`mail_lines` sorts the lines of a mail. `orders` reads one line by the grammar that is made from the table of `forms`.
`sheets` reads standing and conditional orders. `plain_words` tries the lines that no grammar reads. The grammar, the
canonical wording, forms and help all come from `forms`. `knowledge` holds what a seat may know when its sheet is
evaluated; from that, `conditions` decides whether a condition holds.
"""
