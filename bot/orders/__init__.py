"""The order language: lines of a mail become typed orders, and typed orders become canonical lines.

``forms`` is the one table of what can be written; reading (``grammar``, ``language``), canonical wording, forms and
help are all made from it.
"""
