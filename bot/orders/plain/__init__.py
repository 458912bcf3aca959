"""Plain words: lines of players who have read no grammar, understood from the position in which they were written.

A line comes here when neither the grammar of orders nor that of sheets has read it. It is cut into words (``words``);
the forms of orders for which it has the words (``table``, from ``data/plain-words.toml``), and those that answer a
question open to its writer, are filled from what it says (``filling``, ``names``, ``quantities``, ``battle_plan``),
and the rules judge what comes of it (``reader``). All that is said must be used or be known to say nothing. A
question, a condition, doubt, the past, and a denial that says more than no, are read as nothing.
"""
