"""Monitoring: checks (``checks``), mail about problems (``alerts``), and the log (``logs``).

``checks`` judges the facts that ``bot.store.glance`` has read. `mentat health`, `mentat doctor` and ``alerts`` all use
the same checks. The output of `mentat health` and the numbers for Prometheus are in ``bot.service.health``.
"""
