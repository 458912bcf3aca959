"""Tests that sentences in mails name only commands that can be mailed: the reader may have nothing but a phone."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest

from bot import templates_dir

AT_THE_MACHINE = {
    "desk-look.room": "the last line of `mentat desk`; no letter has it",
    "desk-matter.outbox": "letters do not leave, so no answer would come: the machine must be looked at",
    "desk-matter.mailbox": "the mailbox cannot be read, so no mail works: the machine must be looked at",
    "alert-notice.advice": "for whoever looks after the machine, about the machine",
    "alert-loop.notice": "for whoever looks after the machine, about the machine",
    "alert-loop.over": "for whoever looks after the machine, about the machine",
    "alert-deadlines.notice": "for whoever looks after the machine, about the machine",
    "tournament-refused.banned": "the refusal of a command at the machine; no letter has it",
    "record.attached": "a file to be checked on a machine of one's own",
    "tournament.round.sum": "a file to be checked on a machine of one's own",
    "tournament.progress.secret": "a file to be checked on a machine of one's own",
}
"""Sentences that name a shell command, and why no mail could do the same."""

PAGES = ("archive", "demo", "manual")
"""Folders whose texts appear on pages and at the machine, not in mails."""

AT_A_SHELL = re.compile(r"\{% if shell %\}.*?(?=\{% (?:else|endif))|'[^']*'(?: ~ \w+ ~ '[^']*')* if shell")
"""The part of a sentence shown only at the machine; the fact `shell` is true there."""

SHELL = re.compile(r"\bmentat (?:[a-z]+(?:-[a-z]+)*)\b")


def sentences() -> Iterator[tuple[str, str]]:
    for file in sorted(templates_dir().glob("*/*.toml")):
        if file.parent.name not in PAGES:
            yield from lines_of(tomllib.loads(file.read_text("utf-8")), "")


def lines_of(table: dict[str, object], path: str) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from lines_of(value, f"{path}{key}.")
        elif isinstance(value, str):
            yield f"{path}{key}", AT_A_SHELL.sub("", value)


NAMING = {name for name, text in sentences() if SHELL.search(text)}


@pytest.mark.parametrize("name", sorted(NAMING - AT_THE_MACHINE.keys()) or ["none"])
def test_no_sentence_of_a_mail_names_a_command_of_the_shell(name: str) -> None:
    assert name == "none", dict(sentences())[name]


def test_every_exception_is_one() -> None:
    assert AT_THE_MACHINE.keys() == NAMING & AT_THE_MACHINE.keys()
