"""Positions written in TOML, and their expected results."""
