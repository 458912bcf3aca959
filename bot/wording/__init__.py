"""Sentences from ``templates/``: the one place where words are put together."""
