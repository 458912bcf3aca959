"""Mails from real programs, and the text that must be read from each (corpus.toml)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from bot.mail.disposition import examine

HERE = Path(__file__).parent
ADDRESS = "mentat@arrakis.example"
TOKEN = "ypowzixiqjin3ijg"
SENT_FORM = [
    "# shipment",
    "ship _ to Habbanya Ridge Sietch",
    "no shipment",
    "# movement",
    "move _ from Carthag to ______",
    "[ ] no move",
]

EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((HERE / "corpus.toml").read_text("utf-8"))


def sent_form(code: str) -> list[str] | None:
    return SENT_FORM if code == "7qk2m9xa" else None


def test_every_mail_of_the_corpus_is_in_the_table() -> None:
    assert sorted(EXPECTED) == sorted(path.stem for path in (HERE / "corpus").glob("*.eml"))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_mail_is_read_as_the_table_says(name: str) -> None:
    expected = EXPECTED[name]
    seen = examine((HERE / "corpus" / f"{name}.eml").read_bytes(), ADDRESS, sent_form)

    assert seen.verdict.disposition == expected.get("disposition", "orders")
    if "count" in expected:
        assert (seen.reading.lines[0], len(seen.reading.lines)) == (expected["first"], expected["count"])
    else:
        assert list(seen.reading.lines) == expected.get("orders", [])
    others = {section.token: list(section.lines) for section in seen.reading.sections if section.token}
    assert others == expected.get("sections", {})
    assert expected.get("reason", "") in seen.verdict.reason
    assert expected.get("notes", "") in "\n".join(seen.reading.notes)
    assert "notes" in expected or seen.reading.notes == ()
    if "ignored" in expected:
        assert expected["ignored"] in seen.reading.ignored
    if seen.incoming is not None:
        assert seen.incoming.sender == expected.get("sender", "baron@example.org")
        assert list(seen.tokens) == expected.get("tokens", [TOKEN])
        assert seen.incoming.subject == expected.get("subject", seen.incoming.subject)
    bounce = seen.verdict.bounce
    assert (bounce is not None) == ("bounced" in expected)
    if bounce is not None:
        assert list(bounce.recipients) == expected["bounced"]
        assert bounce.permanent is expected.get("permanent")
