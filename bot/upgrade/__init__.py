"""Upgrades that can be trusted: ``trial`` renews a copy of the database and plays every running game in it again by the
rules that are installed now; ``upgrading`` does it to the database itself, after a backup.
"""
