"""Seeing that all is well: what is measured, what is checked, who is told, and what the log says.

``checks`` says what is well and what is not, from what ``bot.store.glance`` read; `mentat health`, `mentat doctor` and
``alerts`` ask the same checks. ``metrics`` writes the numbers for Prometheus, ``counters`` counts what no row of the
database says, and ``logs`` is how the work is logged.
"""
