"""A letter as the bytes of a mail, or why it cannot be one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

from bot.mail.identity import bounce_address, leaving_address, plus_address, tagged_subject
from bot.mail.outgoing import Attachment, Image, Letter, LetterError, build_letter
from tests.approved.subject import Subject, vary_words
from tests.mail.test_corpus import TOKEN

PLAIN: dict[str, Any] = {
    "to": "baron@example.org", "subject": "Turn 4", "text": "bid\n", "sender": "mentat@arrakis.example",
    "message_id": "sietch-12.41.x@arrakis.example", "game": "Sietch-12",
}  # fmt: skip
MORE: dict[str, Sequence[Any]] = {
    "to": ("", "baron", "@example.org", "baron@", "bärön@example.org", "a b@example.org", "a\n@b.example"),
    "to_name": ("Baron", "Baron Harkönnen", "a,b", "x" * 99, "x" * 100, "x" * 101, "ö" * 120, "a\rb"),
    "sender_name": ("Mentat", "Méntat", ""),
    "reply_to": ("", f"mentat+{TOKEN}@arrakis.example", "none"),
    "subject": ("", " x", "x" * 66, "x" * 67, "x " * 40, "ö" * 40, "a\nb", "Zug 4 – yours", "a\u2028b"),
    "text": ("", "a", "a\r\nb", "a\rb", "ö\n", "x" * 899, "x" * 900, "x" * 901, ".\nFrom x\n", "a \n=b\n", "\ud800"),
    "html": (None, "", "<p>a</p>", "<p>ö</p>"),
    "images": ([], ["board.png"], ["a b.png"], ["a.png", "b.png"], ["ä.png"]),
    "attachments": ([], ["orders.txt"], ["a/b"], [""], ["a\nb"]),
    "in_reply_to": ("", "one@example.org", "one", "ö@example.org", "a@b@c"),
    "references": ([], ["a@b"], ["a@b", "c@d"], ["ab"]),
    "auto_submitted": ("auto-generated", "auto-replied"),
    "game": ("", "Sietch-12", "ö", "A b!", "--", "x" * 70, "a\tb"),
    "unsubscribe": ("", "mailto:a@b?subject=unsubscribe", "a\nb"),
    "extra_headers": ({}, {"X-Mentat-Kind": "report"}, {"Subject": "x"}, {"X Y": "x"}, {"X-A": "ö"}, {"X-A": "a\nb"}),
    "message_id": ("", "x", "a@b", "a@b@c", "ä@b", "a b@c"),
    "zone": (True, False),
}


def _seeds() -> Iterator[str]:
    for name, values in MORE.items():
        for value in values:
            yield json.dumps(PLAIN | {name: value})


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    letter: dict[str, Any] = json.loads(text)
    for _ in range(chance.choice((1, 1, 2, 3))):
        name = chance.choice(sorted(MORE))
        value = letter.get(name)
        if isinstance(value, str) and name != "auto_submitted" and chance.randrange(2):
            letter[name] = vary_words(chance, value, [json.loads(chance.choice(others))["text"]])[:1000]
        else:
            letter[name] = chance.choice(MORE[name])
    return json.dumps(letter)


def _told(text: str) -> str:
    given: dict[str, Any] = json.loads(text)
    zone = UTC if given.pop("zone", True) else None
    images = [Image(name, name.encode() * 30, name) for name in given.pop("images", [])]
    attachments = [Attachment(name, name.encode() * 30) for name in given.pop("attachments", [])]
    told = [
        plus_address(given["to"], TOKEN),
        bounce_address(given["to"], TOKEN),
        *(leaving_address(given["to"], TOKEN, plus) for plus in (True, False)),
        tagged_subject(given["subject"], TOKEN),
    ]
    try:
        date = datetime(2026, 11, 22, 8, 14, tzinfo=zone)
        told.append(build_letter(Letter(date=date, images=images, attachments=attachments, **given)).decode("ascii"))
    except LetterError as refused:
        told.append(f"refused: {refused}")
    return "\n".join(told)


SUBJECT = Subject("letters-as-mails", ("bot.mail.outgoing",), _seeds, _vary, _told)
