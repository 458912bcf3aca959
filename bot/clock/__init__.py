"""Clocks: when questions fall due, and what stops and moves that (pauses, extensions, outages, silence of all)."""
