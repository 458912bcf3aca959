"""More positions that readers are told of than the quick run has time for."""

from __future__ import annotations

from dataclasses import replace

from tests.approved.subjects import letters

SUBJECT = replace(letters.SUBJECT, name="letters-long", slow=True)
