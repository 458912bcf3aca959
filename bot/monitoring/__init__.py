"""Monitoring: checks (``checks``), mail about problems (``alerts``), and the log (``logs``).

``checks`` judges what ``bot.store.glance`` has read. `mentat health`, `mentat doctor` and ``alerts`` use the same
checks. The answer of `mentat health` and the numbers for Prometheus are in ``bot.service.health``.
"""
