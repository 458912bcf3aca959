"""Positions written in TOML and what is expected of them."""
