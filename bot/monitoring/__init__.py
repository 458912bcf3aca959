"""Seeing that all is well: what is checked (``checks``), who is told by mail (``alerts``), and what the log says
(``logs``).

``checks`` judges what ``bot.store.glance`` read; `mentat health`, `mentat doctor` and ``alerts`` ask the same checks.
The answer of `mentat health` and the numbers for Prometheus are in ``bot.service.health``.
"""
