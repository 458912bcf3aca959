"""Which rules are installed: a running game must go on with those it was played with so far."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import rules
from bot.orders import truthtrance
from rules.components.facts import data_folder


@cache
def rules_digest() -> str:
    """What names the rules as they are installed: a hash of the rules' code, of the facts they read, and of the reader
    that supplies what older logs do not hold."""
    digest = hashlib.sha256()
    code = [(Path(package.__file__ or "").parent, "**/*.py") for package in (rules, truthtrance)]
    for folder, pattern in (*code, (data_folder(), "**/*.toml")):
        for path in sorted(folder.glob(pattern)):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
