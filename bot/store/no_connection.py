"""Why there is no connection to a server, in the words of libpq (PostgreSQL 15, chapter 34).

It gives no code of an error for that. Its words are one line, or one for each address that was tried, each followed by
hints that are set in by a tab; what the server itself has said stands behind "FATAL:".
"""

from __future__ import annotations


def why(error: BaseException) -> tuple[str, bool]:
    """Why there is no connection, and whether it is the server that refused it.

    >>> why(OSError('connection to server at "::1", port 1 failed: Connection refused\\n\\tIs the server running?'))
    ('Connection refused', False)
    >>> why(OSError('connection to server at "::1", port 5432 failed: FATAL:  role "chani" does not exist'))
    ('role "chani" does not exist', True)
    """
    *_, last = ("", *(line for line in str(error).splitlines() if line[:1].strip()))
    _, refused, words = last.rpartition("FATAL: ")
    return words.rpartition(" failed: ")[2].strip().rstrip("."), bool(refused)
