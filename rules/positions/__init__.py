"""Positions written in TOML, and the results expected of them."""
