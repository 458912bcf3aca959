"""Parse players' text into typed values, and write typed values in canonical words.

`mail_lines` sorts the lines of a mail. `orders` reads one line with the grammar that is built from the table of
`forms`. `sheets` reads standing and conditional orders. `plain_words` tries the lines that the grammar cannot read. The
grammar, the canonical wording, the blank forms in letters and the help all come from `forms`. `knowledge` holds what a
seat may know when its sheet is evaluated; `conditions` uses that to decide whether a condition holds.
"""
