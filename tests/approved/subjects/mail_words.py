"""The words of a mail, in plain text or HTML: its lines and how deep they are quoted, and which of them are the
sender's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from bot.mail.html import html_lines
from bot.mail.lines import Line, plain_lines
from bot.mail.message import Incoming, parse
from bot.mail.own_words import own_lines
from bot.mail.quotes import trim_quotes
from tests.approved.subject import Subject, vary_words
from tests.approved.subjects.mails import LINES, vary_lines, words_of
from tests.mail.test_corpus import ADDRESS, HERE, sent_form

LONGEST = 3_000
TAGS = (
    "<div>", "</div>", "<blockquote>", "</blockquote>", '<blockquote type="cite">', '<div class="gmail_quote">',
    '<div id="divRplyFwdMsg">', '<div class="moz-cite-prefix">', '<div style="border-top: solid #E1E1E1 1.0pt">',
    '<span style="color: #c00">', '<font color="blue">', "</font>", "</span>", "<s>", "</s>", "<del>", "<br>", "<hr>",
    "<p>", "</p>", "<pre>", "</pre>", "<ul><li>", "</li></ul>", "<table><tr><td>", "</td></tr></table>",
    '<p style="display:none">', '<span style="mso-list:Ignore">1.</span>', "<a href=x>", "</a>", "<style>", "</style>",
    "<!-- x -->", "<script>x</script>", '<div class="gmail_signature">', '<div hidden>', "<textarea>",
    "<select><option>",
    '<span style="font-size:0">', "&nbsp;", "&gt;", "&lt;", "&amp;gt;", "&#8203;", "<b>", "</b>", "</table>",
    '<div style="visibility:hidden">', '<span style="color:white">', '<div name="quote">', "<h1>", "<body>", "</body>",
)  # fmt: skip
STYLES = re.compile(r"<[^<>]*>|&[a-z#0-9]+;")
NAMES = ("Baron <baron@example.org>", "vladimir.harkonnen@example.org", '"Paul Atreides" <muad-dib@example.org>')


def _input(kind: str, sender: str, text: str) -> str:
    return json.dumps([kind, sender, text])


def _seeds() -> Iterator[str]:
    chance = Random("senders")
    for path in sorted((HERE / "corpus").glob("*.eml")):
        incoming = parse(path.read_bytes())
        if not isinstance(incoming, Incoming):
            continue
        if incoming.text_plain and len(incoming.text_plain) < LONGEST:
            yield _input("flowed" if incoming.flowed else "plain", chance.choice(NAMES), incoming.text_plain)
        if incoming.html and len(incoming.html) < LONGEST:
            yield _input("html", chance.choice(NAMES), incoming.html)
    for line in LINES:
        yield _input("plain", NAMES[0], f"bid 4\n{line}\npass\n")
    for tag in TAGS:
        yield _input("html", NAMES[0], f"<p>bid 4</p>{tag}<p>pass</p>ship 2<br>bid 1")


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    kind, sender, words = json.loads(text)
    alike: Any = json.loads(chance.choice(others))
    for _ in range(chance.choice((1, 1, 2, 3))):
        match chance.randrange(12):
            case 0:
                sender = chance.choice(NAMES)
            case 1:
                kind = chance.choice(("plain", "flowed", "delsp")) if kind != "html" else kind
            case 2 | 3 | 4 | 5 | 6 if kind == "html":
                words = _vary_tags(chance, words, alike[2] if alike[0] == "html" else "")
            case 7:
                words = vary_words(chance, words, [alike[2], chance.choice(LINES)])
            case _:
                words = "\n".join(vary_lines(chance, words.split("\n"), alike[2].split("\n")))
    return _input(kind, sender, words[:LONGEST])


def _vary_tags(chance: Random, page: str, other: str) -> str:
    """A tag gone, doubled, moved, or another one in its place; one more; or another value in it."""
    pieces = re.split(r"(<[^<>]*>)", page)
    tags = [index for index, piece in enumerate(pieces) if piece.startswith("<")]
    place = chance.choice(tags or [0])
    match chance.randrange(6):
        case 0:
            pieces[place] = ""
        case 1:
            pieces[place] = chance.choice((*TAGS, *(STYLES.findall(other) or [""])))
        case 2 | 3:
            words = pieces[chance.randrange(len(pieces))]
            pieces[place] += chance.choice(TAGS) + words[: chance.choice((0, 20))]
        case 4:
            pieces[place] = vary_words(chance, pieces[place], [chance.choice(TAGS)])
        case _:
            pieces[place] *= 2
    return "".join(pieces)


def _told(text: str) -> str:
    kind, sender, words = json.loads(text)
    lines = html_lines(words) if kind == "html" else plain_lines(words, kind != "plain", kind == "delsp")
    told = "".join(map(_depth, lines)) if lines is not None else "not read\n"
    trimmed = trim_quotes(lines or (), ADDRESS, ("vladimir", "baron", "paul"))
    told += "".join(f"{name}: {value}\n" for name, value in vars(trimmed).items() if value)
    kinds = {
        "html": "html",
        "plain": "plain",
        "flowed": "plain; format=flowed",
        "delsp": "plain; format=flowed; delsp=yes",
    }
    head = f"From: {sender}\nTo: {ADDRESS}\nContent-Type: text/{kinds[kind]}; charset=utf-8\n\n"
    incoming = parse((head + words).encode("utf-8", "replace"))
    return told + (words_of(own_lines(incoming, sent_form, ADDRESS)) if isinstance(incoming, Incoming) else "no mail")


def _depth(line: Line) -> str:
    return f"{line.depth}|{line.text}\n"


SUBJECT = Subject("mail-words", ("bot.mail",), _seeds, _vary, _told)
