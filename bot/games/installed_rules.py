"""Which rules are installed: a running game must go on with those it was played with so far."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import rules
from rules.components.facts import data_folder


@cache
def rules_digest() -> str:
    """What names the rules as they are installed: a hash of the rules' code and of the facts they read."""
    digest = hashlib.sha256()
    for folder, pattern in ((Path(rules.__file__).parent, "**/*.py"), (data_folder(), "**/*.toml")):
        for path in sorted(folder.glob(pattern)):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
