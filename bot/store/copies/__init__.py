"""Copies of a whole database: how each of the two kinds is copied while it is used, looked at, and put back.

``sqlite_file`` and ``postgresql_dump`` do it, ``label`` is what a copy says of itself, and ``copying`` chooses.
"""
