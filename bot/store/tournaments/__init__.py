"""Tournaments in the database: one module a subject, which gives and takes values.

Whoever changes something calls ``tournaments.touch`` in the same transaction, which counts the ``revision``, and writes
an act (``acts.add``) of what was decided.
"""
