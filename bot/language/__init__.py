"""What players write, read as typed values, and typed values in canonical words.

`mail_lines` sorts the lines of a mail. `orders` reads one line by the grammar that is made from the table of `forms`;
`sheets` reads orders that stand or wait for a condition; `plain_words` tries what no grammar reads. The grammar, the
canonical wording, forms and help all come from `forms`. `knowledge` is what a seat may know when its sheet is asked,
and `conditions` decides whether a condition holds by that.
"""
