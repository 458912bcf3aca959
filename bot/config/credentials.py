"""Secrets in files of a folder: what systemd hands a unit (``LoadCredential=``), and a container its secrets.

The variable CREDENTIALS_DIRECTORY names the folder. A file there has the name of a line of `.env`,
``MENTAT_IMAP_PASSWORD``, and holds nothing but the secret; a line break behind it does not count. An empty one is none,
as a unit gives it where there is no file (``SetCredential=``). Files of other names are other programs'.

Source: systemd.exec(5), "Credentials".
"""

from __future__ import annotations

import os
from pathlib import Path


def folder() -> Path | None:
    """Where credentials lie; None where nobody hands over any."""
    named = os.environ.get("CREDENTIALS_DIRECTORY")
    return Path(named) if named else None


def read(place: Path) -> tuple[dict[str, str], list[str]]:
    """The secrets in a folder by their names, and a sentence for each thing there that cannot be read.

    Example: `read(Path("/run/credentials/mentat.service"))` gives `({"MENTAT_SECRET": "..."}, [])`
    """
    found, problems = {}, []
    try:
        files = sorted(file for file in place.iterdir() if file.name.startswith("MENTAT_"))
    except OSError as error:
        return {}, [
            f"CREDENTIALS_DIRECTORY: {place} cannot be read ({error.strerror}): name the folder of credentials."
        ]
    for file in files:
        try:
            found[file.name] = file.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            problems.append(f"The credential {file} cannot be read ({why}): put the secret alone into it.")
    return found, problems
