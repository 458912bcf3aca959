"""Positions that are written in TOML, and the results that are expected of them."""
