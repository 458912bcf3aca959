"""Mails of 200 KB with which a player tries to keep Mentat busy, with one function for each method.

Each function takes a random number generator, so no two of its mails are alike. Run as a module, this file measures the
mails' cost: `python -m tests.moderator.hostile [WORDS OF NAMES ...]`.
"""

from __future__ import annotations

import base64
import gzip
import quopri
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import event

from bot.language.names import CARD_NAMES, LEADER_NAMES, TERRITORY_NAMES
from bot.moderator.moderator import Moderator
from rules.components import FACTIONS, Faction
from tests.moderator.table import CONFIG, World, address_of

BYTES = 200_000


def _words(text: str) -> list[str]:
    return text.split()


_FACTIONS = ("Guild", "Atreides", "Emperor", "Fremen", "Harkonnen", "Bene Gesserit")
_AREAS = [TERRITORY_NAMES.name(value) for value in TERRITORY_NAMES.values]
_LEADERS = [LEADER_NAMES.name(value) for value in LEADER_NAMES.values]
_CARDS = [CARD_NAMES.name(value) for value in CARD_NAMES.values]
_WORDS = _words(
    "the we you will not sorry move ship bid pass from to with and or if unless then next turn "
    "card spice tokens more instead make that three 4 5 deal battle weapon defense leader "
    "reserves storm traitor voice"
)


@dataclass(frozen=True)
class Hostile:
    """The hostile parts of a mail: additional header fields, and the body with its type."""

    body: str | bytes
    kind: str = "text/plain; charset=utf-8"
    fields: Sequence[tuple[str, str]] = ()

    def mail(self, sender: str, to: str, message_id: str) -> bytes:
        fields = [("From", sender), ("To", to), ("Subject", "orders"), ("Message-ID", message_id)]
        known = {name for name, _ in self.fields}
        fields = [*((name, value) for name, value in fields if name not in known), *self.fields]
        body = self.body if isinstance(self.body, bytes) else self.body.encode()
        head = "".join(f"{name}: {value}\r\n" for name, value in (*fields, ("Content-Type", self.kind)))
        return head.encode() + b"\r\n" + body


Way = Callable[[random.Random], Hostile]
WAYS: dict[str, Way] = {}


def _way(way: Way) -> Way:
    WAYS[way.__name__] = way
    return way


def _misspelt(rng: random.Random, text: str) -> str:
    place = rng.randrange(len(text))
    return text[:place] + rng.choice(("", rng.choice("aeiknrst"), text[place] * 2)) + text[place + 1 :]


def _lines(make: Callable[[], str], most: int = BYTES) -> str:
    lines, size = [], 0
    while size < most:
        line = make()
        lines.append(line)
        size += len(line.encode()) + 2
    return "\r\n".join(lines)


def _sentence(rng: random.Random, words: int, extra: Sequence[str] = ()) -> str:
    return " ".join(rng.choice((*_WORDS, *extra)) for _ in range(words))


# --- lines -----------------------------------------------------------------------------------------------------------


@_way
def one_sentence(rng: random.Random) -> Hostile:
    return Hostile(_sentence(rng, BYTES // 5))


@_way
def long_lines(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: _sentence(rng, 200)[:990]))


@_way
def lines_at_the_bound(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: _sentence(rng, 60, _FACTIONS)[:298]))


@_way
def lines_of_thirty_words(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: _sentence(rng, rng.randrange(25, 31))))


@_way
def short_lines(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: _sentence(rng, rng.randrange(1, 5))))


@_way
def paragraphs(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: _sentence(rng, 12) + "\r\n"))


@_way
def near_misses(rng: random.Random) -> Hostile:
    def line() -> str:
        area, other = rng.choice(_AREAS), rng.choice(_AREAS)
        said = rng.choice((f"move {rng.randrange(20)} from {area} to {other}", f"ship {rng.randrange(20)} to {area}"))
        return _misspelt(rng, _misspelt(rng, _misspelt(rng, said)))

    return Hostile(_lines(line))


@_way
def near_misses_of_everything(rng: random.Random) -> Hostile:
    names = [*_AREAS, *_LEADERS, *_CARDS]
    verbs = _words("move ship bid pass plan reveal traitor revive voice prescience karama deal offer play lose place")

    def line() -> str:
        words = [rng.choice(verbs), *(rng.choice(names) for _ in range(rng.randrange(1, 8)))]
        return " ".join(_misspelt(rng, word) for word in words)[:298]

    return Hostile(_lines(line))


@_way
def names(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: ", ".join(rng.choice((*_AREAS, *_LEADERS)) for _ in range(14))[:298]))


@_way
def names_without_order(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: " ".join(rng.choice((*_AREAS, *_LEADERS, *_CARDS)) for _ in range(8))[:298]))


@_way
def moves_with_many_sources(rng: random.Random) -> Hostile:
    def line() -> str:
        sources = " and ".join(f"{rng.randrange(1, 9)} from {rng.choice(_AREAS)}" for _ in range(9))
        return f"move {sources} to {rng.choice(_AREAS)}"[:298]

    return Hostile(_lines(line))


@_way
def good_orders(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: f"bid {rng.randrange(1, 40)}"))


@_way
def orders_in_plain_words(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: f"I would like to bid {rng.randrange(1, 40)} for this card, please"))


@_way
def corrections(rng: random.Random) -> Hostile:
    said = ("sorry, make that {}", "no, {}", "oops, {} instead of {}", "scratch that, bid {}", "I mean {}", "bid {}")
    return Hostile(_lines(lambda: rng.choice(said).format(rng.randrange(40), rng.randrange(40))))


@_way
def corrections_in_one_line(rng: random.Random) -> Hostile:
    joints = (", sorry, ", " - no, ", ", er, ", ". No wait, ", ", I mean ")
    return Hostile(_lines(lambda: "bid 4" + "".join(rng.choice(joints) + str(rng.randrange(40)) for _ in range(25))))


@_way
def edits(rng: random.Random) -> Hostile:
    said = ("{} instead of {}", "add {} to {}", "drop {} and take {}", "swap {} and {}", "not {} but {}")
    names = [*_AREAS, *_LEADERS, *_CARDS]
    return Hostile(_lines(lambda: rng.choice(said).format(rng.choice(names), rng.choice(names))))


@_way
def conditions(rng: random.Random) -> Hostile:
    said = ("price < {}", "turn >= {}", "card {}", "Guild has passed", "spice > {}", "tokens of Fremen in carthag > {}")

    def line() -> str:
        parts = (f"({rng.choice(said).format(rng.randrange(20))} {rng.choice(('and', 'or'))} " for _ in range(9))
        return f"when {''.join(parts)}turn 3{')' * 9}: bid {rng.randrange(30)}"

    return Hostile(_lines(line))


@_way
def broken_conditions(rng: random.Random) -> Hostile:
    words = _words("when unless if and or not ( ) price turn card spice tokens of in > < >= 3 5 Guild passed has : bid")
    return Hostile(_lines(lambda: "when " + " ".join(rng.choice(words) for _ in range(50))))


@_way
def spoken_conditions(rng: random.Random) -> Hostile:
    def line() -> str:
        faction, other = rng.choice(_FACTIONS), rng.choice(_FACTIONS)
        return f"if {faction} bids {rng.randrange(9)} and {other} has passed, I go to {rng.randrange(20)} unless late"

    return Hostile(_lines(line))


@_way
def sheets(rng: random.Random) -> Hostile:
    def line() -> str:
        return f"when card {rng.randrange(9)} and price < {rng.randrange(20)}: bid up to {rng.randrange(20)}"

    return Hostile(_lines(line))


@_way
def plans(rng: random.Random) -> Hostile:
    def line() -> str:
        leader, weapon, shield = rng.choice(_LEADERS), rng.choice(_CARDS), rng.choice(_CARDS)
        return f"plan for {rng.choice(_AREAS)}: {leader}, dial {rng.randrange(9)}, weapon {weapon}, defense {shield}"

    return Hostile(_lines(line))


@_way
def plans_in_plain_words(rng: random.Random) -> Hostile:
    def line() -> str:
        leader, weapon, shield = rng.choice(_LEADERS), rng.choice(_CARDS), rng.choice(_CARDS)
        return _misspelt(rng, f"I fight with {leader} and {rng.randrange(9)} men, {weapon} and {shield} please")

    return Hostile(_lines(line))


@_way
def rows_of_a_list(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: f"{rng.choice(_AREAS)[:28]}: {rng.choice(_AREAS)} {rng.randrange(9)}"))


@_way
def headings(rng: random.Random) -> Hostile:
    return Hostile(
        _lines(lambda: f"My orders for {rng.choice(_AREAS)}:\r\n- {_sentence(rng, 6)}\r\n- {_sentence(rng, 6)}")
    )


@_way
def numbered_clauses(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: " ".join(f"{n}) {_sentence(rng, 3)}" for n in range(1, 9))))


@_way
def many_clauses(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: "; ".join(_sentence(rng, 4) for _ in range(8))))


@_way
def many_joints(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: " and ".join(_sentence(rng, 3, _AREAS) for _ in range(8))[:298]))


@_way
def truthtrance_questions(rng: random.Random) -> Hostile:
    def line() -> str:
        facts = " and ".join(f"do you have {rng.choice(_CARDS)}" for _ in range(12))
        return f"truthtrance {rng.choice(_FACTIONS)}: {facts}?"

    return Hostile(_lines(line))


@_way
def deals(rng: random.Random) -> Hostile:
    def line() -> str:
        return f"deal with {rng.choice(_FACTIONS)}: I give {rng.randrange(9)} spice if {_sentence(rng, 40)}"

    return Hostile(_lines(line))


@_way
def press_lines(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: f"press to {rng.choice(_FACTIONS)}: {_sentence(rng, 80)}"))


@_way
def press_without_end(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: "press to Guild:"))


@_way
def commands(rng: random.Random) -> Hostile:
    said = ("status", "map", "history", "rules", "orders", "deals", "help", "rating", "forum", "help move")
    return Hostile(_lines(lambda: rng.choice(said)))


@_way
def misspelt_commands(rng: random.Random) -> Hostile:
    said = ("status", "history", "standing orders", "help movement", "cancel everything", "rules about shipment")
    return Hostile(_lines(lambda: _misspelt(rng, rng.choice(said))))


@_way
def cancels(rng: random.Random) -> Hostile:
    return Hostile(
        _lines(lambda: rng.choice((f"cancel bid {rng.randrange(30)}", f"bid {rng.randrange(30)}", "cancel")))
    )


@_way
def parentheses(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: "(" * 140 + f"bid {rng.randrange(9)}" + ")" * 140))


@_way
def quotation_marks(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: " ".join(f"\"{_misspelt(rng, rng.choice(_AREAS))}'" for _ in range(18))[:298]))


@_way
def signs(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: "".join(rng.choice("*_`~-=>#+&/.,:;!?()[] ab1") for _ in range(290))))


@_way
def accents(rng: random.Random) -> Hostile:
    return Hostile(
        _lines(lambda: "".join(rng.choice("aeiou bmns") + rng.choice(("", "\u0301", "\u0308")) for _ in range(140)))
    )


@_way
def talk(rng: random.Random) -> Hostile:
    said = ("what a game, {} is strong in {}!", "I wonder whether {} will go to {}.", "Did you see {} in {}?")
    return Hostile(_lines(lambda: rng.choice(said).format(rng.choice(_FACTIONS), rng.choice(_AREAS))))


@_way
def courtesies(rng: random.Random) -> Hostile:
    said = ("Hello Mentat,", "Thanks,", "Best wishes", "Ann", "Hi all!", "bid 3", "Cheers,", "please")
    return Hostile(_lines(lambda: rng.choice(said)))


@_way
def retractions(rng: random.Random) -> Hostile:
    said = ("bid {}", "forget it", "never mind", "only if the Guild passes", "maybe", "draft:", "next turn:", "wait")
    return Hostile(_lines(lambda: rng.choice(said).format(rng.randrange(30))))


# --- quotes and forms ------------------------------------------------------------------------------------------------


@_way
def quoted(rng: random.Random) -> Hostile:
    return Hostile("bid 3\r\n" + _lines(lambda: ">" * rng.randrange(1, 60) + " " + _sentence(rng, 9)))


@_way
def attributions(rng: random.Random) -> Hostile:
    return Hostile(
        _lines(
            lambda: (
                f"On Mon, {rng.randrange(28)} Nov 2024 at 10:0{rng.randrange(9)} {address_of('guild')} wrote:\r\nbid 3"
            )
        )
    )


@_way
def half_attributions(rng: random.Random) -> Hostile:
    return Hostile(
        _lines(lambda: f"On Mon, {rng.randrange(28)} Nov 2024 at 10:00\r\nAnn <a@b.example>, {_sentence(rng, 5)}")
    )


@_way
def header_blocks(rng: random.Random) -> Hostile:
    return Hostile(
        _lines(lambda: f"From: a@b.example\r\nSent: Monday\r\nTo: c@d.example\r\nSubject: {_sentence(rng, 4)}\r\n")
    )


@_way
def signatures(rng: random.Random) -> Hostile:
    return Hostile("bid 3\r\n-- \r\n" + _lines(lambda: f"bid {rng.randrange(9)} {_sentence(rng, 10)}"))


@_way
def footers(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: f"bid 3\r\n-- \r\nmove 3 from {rng.choice(_AREAS)} to {rng.choice(_AREAS)}\r\n____"))


@_way
def form_lines(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: f"[{rng.choice('x ')}] move {rng.randrange(9)} from {rng.choice(_AREAS)} to ______"))


# --- HTML ------------------------------------------------------------------------------------------------------------


def _html(rows: str) -> Hostile:
    return Hostile(f"<html><body>{rows}</body></html>", "text/html; charset=utf-8")


@_way
def html_table(rng: random.Random) -> Hostile:
    return _html("<table>" + _lines(lambda: f"<tr><td>bid</td><td>{rng.randrange(40)}</td></tr>") + "</table>")


@_way
def html_tables_in_tables(rng: random.Random) -> Hostile:
    return _html("<table><tr><td>" * (BYTES // 35) + "bid 3" + "</td></tr></table>" * (BYTES // 60))


@_way
def html_blocks(rng: random.Random) -> Hostile:
    return _html("<div><blockquote>" * (BYTES // 30) + "bid 3" + _sentence(rng, 900))


@_way
def html_lists(rng: random.Random) -> Hostile:
    return _html(_lines(lambda: f"<ul><li>{_sentence(rng, 4)}<ol><li>{_sentence(rng, 4)}</li></ol></li></ul>"))


@_way
def html_styles(rng: random.Random) -> Hostile:
    def line() -> str:
        return f'<p style="display:{"none" * 9};color:#{rng.randrange(999999)}"><i class="a b">{_sentence(rng, 5)}</i>'

    return _html(_lines(line))


@_way
def html_attributes(rng: random.Random) -> Hostile:
    return _html("<p " + " ".join(f'a{n}="{rng.randrange(99)}"' for n in range(BYTES // 12)) + ">bid 3</p>")


@_way
def html_entities(rng: random.Random) -> Hostile:
    return _html(_lines(lambda: f"<p>&#{rng.randrange(32, 999)};&amp;&nbsp;&{'a' * 20}; bid 3</p>"))


@_way
def html_unclosed(rng: random.Random) -> Hostile:
    return _html(_lines(lambda: f"<b><i><td><p><a href={rng.randrange(99)}>bid {rng.randrange(40)}"))


@_way
def html_comments(rng: random.Random) -> Hostile:
    return _html(_lines(lambda: f"<!-- {_sentence(rng, 3)} --><![if !x]>bid 3<!--"))


# --- MIME ------------------------------------------------------------------------------------------------------------


_IN_BASE64 = "Content-Transfer-Encoding: base64\r\n\r\n"


def _part(kind: str) -> str:
    return f"--b\r\nContent-Type: {kind}\r\n"


@_way
def nested_parts(rng: random.Random) -> Hostile:
    depth = rng.randrange(500, 1500)
    opened = "".join(f"--b{n}\r\nContent-Type: multipart/mixed; boundary=b{n + 1}\r\n\r\n" for n in range(depth))
    return Hostile(opened + f"--b{depth}\r\n\r\nbid 3\r\n", "multipart/mixed; boundary=b0")


@_way
def nested_messages(rng: random.Random) -> Hostile:
    return Hostile("Content-Type: message/rfc822\r\n\r\n" * (BYTES // 32) + "bid 3", "message/rfc822")


@_way
def many_attachments(rng: random.Random) -> Hostile:
    def part() -> str:
        return f"{_part(f'text/plain; name=a{rng.randrange(999)}.txt')}Content-Disposition: attachment\r\n\r\nbid 3"

    return Hostile(_lines(part) + "\r\n--b--", "multipart/mixed; boundary=b")


@_way
def many_texts(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: f"--b\r\n\r\n{_sentence(rng, 8)}") + "\r\n--b--", "multipart/mixed; boundary=b")


@_way
def many_alternatives(rng: random.Random) -> Hostile:
    def part() -> str:
        return f"--b\r\nContent-Type: text/html\r\n\r\n<p>{_sentence(rng, 6)}</p>"

    return Hostile(_lines(part) + "\r\n--b--", "multipart/alternative; boundary=b")


@_way
def empty_parts(rng: random.Random) -> Hostile:
    return Hostile("--b\r\n" * (BYTES // 5), "multipart/mixed; boundary=b")


@_way
def boundaries(rng: random.Random) -> Hostile:
    name = "b" * 70
    return Hostile(
        _lines(lambda: f"--{name[: rng.randrange(60, 71)]}\r\n{_sentence(rng, 2)}"), f"multipart/mixed; boundary={name}"
    )


@_way
def base64_lines(rng: random.Random) -> Hostile:
    text = _lines(lambda: _sentence(rng, 20), BYTES * 7 // 10)
    return Hostile(
        base64.encodebytes(text.encode()), "text/plain; charset=utf-8", [("Content-Transfer-Encoding", "base64")]
    )


@_way
def quoted_printable(rng: random.Random) -> Hostile:
    text = _lines(lambda: "".join(rng.choice("aeö ü=ß1") for _ in range(60)), BYTES // 2)
    return Hostile(
        quopri.encodestring(text.encode()),
        "text/plain; charset=utf-8",
        [("Content-Transfer-Encoding", "quoted-printable")],
    )


@_way
def charsets(rng: random.Random) -> Hostile:
    names = ("utf-7", "iso-2022-jp", "shift_jis", "utf-16", "koi8-r", "gb18030", "hz", "idna", "punycode", "x-none")

    def part() -> str:
        return f"--b\r\nContent-Type: text/plain; charset={rng.choice(names)}\r\n\r\n+AGIAaQBk- {_sentence(rng, 5)}"

    return Hostile(_lines(part) + "\r\n--b--", "multipart/mixed; boundary=b")


@_way
def punycode_text(rng: random.Random) -> Hostile:
    return Hostile(
        "a" * (BYTES // 2) + "-" + "b" * (BYTES // 2), f"text/plain; charset={rng.choice(('punycode', 'idna'))}"
    )


@_way
def packed_attachment(rng: random.Random) -> Hostile:
    packed = base64.encodebytes(gzip.compress(b"bid 3\n" * 20_000_000, 6)).decode()
    kind = rng.choice(("application/gzip", "application/zip"))
    return Hostile(
        f"--b\r\n\r\nbid 3\r\n{_part(f'{kind}; name=orders.gz')}{_IN_BASE64}{packed[:BYTES]}\r\n--b--",
        "multipart/mixed; boundary=b",
    )


@_way
def winmail(rng: random.Random) -> Hostile:
    data = base64.encodebytes(b"\x78\x9f\x3e\x22" + rng.randbytes(BYTES * 7 // 10)).decode()
    return Hostile(
        f"{_part('application/ms-tnef; name=winmail.dat')}{_IN_BASE64}{data}\r\n--b--",
        "multipart/mixed; boundary=b",
    )


@_way
def enriched(rng: random.Random) -> Hostile:
    return Hostile(
        _lines(lambda: f"<bold><color><param>{rng.randrange(99)}</param>bid {rng.randrange(9)} <<"), "text/enriched"
    )


@_way
def flowed(rng: random.Random) -> Hostile:
    return Hostile(_lines(lambda: _sentence(rng, 10) + " "), "text/plain; format=flowed; delsp=yes")


@_way
def calendar(rng: random.Random) -> Hostile:
    return Hostile(
        _lines(lambda: f"BEGIN:VEVENT\r\nSUMMARY:{_sentence(rng, 4)}\r\nEND:VEVENT"), "text/calendar; method=REPLY"
    )


@_way
def bounce(rng: random.Random) -> Hostile:
    def block() -> str:
        return f"Final-Recipient: rfc822; {rng.randrange(9999)}@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n"

    body = f"--b\r\n\r\nfailed\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n{_lines(block)}\r\n--b--"
    return Hostile(body, "multipart/report; report-type=delivery-status; boundary=b")


@_way
def bounce_in_words(rng: random.Random) -> Hostile:
    def line() -> str:
        return f"<{rng.randrange(9999)}@b.example>: host mx.b.example said: 550 {_sentence(rng, 5)} user unknown"

    return Hostile(_lines(line), fields=[("Return-Path", "<>"), ("Subject", "Undelivered Mail Returned to Sender")])


@_way
def signed(rng: random.Random) -> Hostile:
    signature = base64.encodebytes(bytes([0x30, 0x80]) * (BYTES // 4)).decode()
    text = _lines(lambda: "bid 3", BYTES // 4)
    body = f"--b\r\n\r\n{text}\r\n{_part('application/pkcs7-signature')}{_IN_BASE64}{signature}\r\n--b--"
    return Hostile(body, "multipart/signed; protocol=application/pkcs7-signature; boundary=b")


@_way
def pgp_packets(rng: random.Random) -> Hostile:
    armour = base64.encodebytes(rng.randbytes(BYTES // 2)).decode()
    return Hostile(f"-----BEGIN PGP MESSAGE-----\r\n\r\n{armour}\r\n-----END PGP MESSAGE-----\r\nbid 3")


# --- headers ---------------------------------------------------------------------------------------------------------


def _headed(*fields: tuple[str, str]) -> Hostile:
    return Hostile("bid 3\r\n", fields=fields)


@_way
def long_header(rng: random.Random) -> Hostile:
    return _headed(
        (
            rng.choice(("Subject", "X-Long", "References", "In-Reply-To", "List-Id", "Auto-Submitted")),
            "a (b <" * (BYTES // 6),
        )
    )


@_way
def many_headers(rng: random.Random) -> Hostile:
    return _headed(*((f"X-{n}", _sentence(rng, 3)) for n in range(BYTES // 25)))


@_way
def folded_headers(rng: random.Random) -> Hostile:
    return _headed((rng.choice(("Subject", "To", "Cc", "References")), "\r\n ".join(["a"] * (BYTES // 4))))


@_way
def addresses(rng: random.Random) -> Hostile:
    kind = rng.choice(("Cc", "Reply-To", "To", "From", "Delivered-To"))
    return _headed((kind, ", ".join(f'"{_sentence(rng, 2)}" <{n}@b.example>' for n in range(BYTES // 30))))


@_way
def address_comments(rng: random.Random) -> Hostile:
    kind = rng.choice(("Cc", "From", "To", "Reply-To"))
    return _headed((kind, "(" * (BYTES // 2) + ")" * (BYTES // 2) + " <a@b.example>"))


@_way
def address_quotes(rng: random.Random) -> Hostile:
    return _headed((rng.choice(("Cc", "From", "To")), '"\\' * (BYTES // 4) + '"a@b.example, ' * 9))


@_way
def encoded_words(rng: random.Random) -> Hostile:
    words = (
        f"=?{rng.choice(('utf-8', 'utf-7', 'koi8-r', 'x'))}?{rng.choice('bq')}?{rng.randrange(999)}?="
        for _ in range(BYTES // 20)
    )
    return _headed((rng.choice(("Subject", "From", "To")), " ".join(words)))


@_way
def references(rng: random.Random) -> Hostile:
    ids = " ".join(f"<{n}.{rng.randrange(9999)}@arrakis.example>" for n in range(BYTES // 30))
    return _headed(("References", ids), ("In-Reply-To", ids[: BYTES // 4]))


@_way
def authentication_results(rng: random.Random) -> Hostile:
    said = "; ".join(f"dkim=pass (c(o(m)m)ent) header.d=a{n}.example" for n in range(BYTES // 50))
    return _headed(*[("Authentication-Results", f"mx.example; {said}")] * rng.randrange(1, 3))


@_way
def parameters(rng: random.Random) -> Hostile:
    said = "; ".join(f"a*{n}*=utf-8'en'%20x" for n in range(BYTES // 22))
    return Hostile("bid 3", f"text/plain; {said}; charset=utf-8")


@_way
def received(rng: random.Random) -> Hostile:
    return _headed(*(("Received", f"from a by b with c; (({'(' * 900}") for _ in range(200)))


@_way
def dates(rng: random.Random) -> Hostile:
    return _headed(("Date", "Mon, " * (BYTES // 5)))


# --- cost ------------------------------------------------------------------------------------------------------------


@dataclass
class Cost:
    """CPU seconds: for the whole mail, and for the longest time during which it held the database lock."""

    whole: float = 0.0
    locked: float = 0.0
    _began: list[float] = field(default_factory=list)


@contextmanager
def measured(moderator: Moderator) -> Iterator[Cost]:
    cost, clock = Cost(), time.process_time

    def begins(conn: object) -> None:
        if conn.get_execution_options().get("write"):  # type: ignore[attr-defined]
            cost._began.append(clock())

    def ends(conn: object) -> None:
        if cost._began:
            cost.locked = max(cost.locked, clock() - cost._began.pop())

    hooks: Iterable[tuple[str, Callable[[object], None]]] = (("begin", begins), ("commit", ends), ("rollback", ends))
    for name, hook in hooks:
        event.listen(moderator.engine, name, hook)
    began = clock()
    try:
        yield cost
    finally:
        cost.whole = clock() - began
        for name, hook in hooks:
            event.remove(moderator.engine, name, hook)


def calibration() -> float:
    """Return the CPU seconds for a fixed piece of work. Costs are multiples of it, so they hold on any machine."""

    def work() -> float:
        began = time.process_time()
        counts: dict[str, int] = {}
        for number in range(200_000):
            word = f"{number % 1000} {number % 7}".upper()
            counts[word] = counts.get(word, 0) + len(word)
        return time.process_time() - began

    return min(work() for _ in range(3))


PHASES = ("bidding", "movement")


def positions(folder: Path, phases: Sequence[str] = PHASES) -> Iterator[tuple[str, World, Faction]]:
    """Yield games at moments with different kinds of questions, each with a player who writes."""
    for phase in phases:
        place = folder / phase
        place.mkdir()
        world = World.at(place, f"{CONFIG}answers_per_hour = 1000000\n")
        world.silent_game(phase)
        writer = next(iter(world.asked()), FACTIONS[0])
        yield phase, world, writer


def hostile_mail(world: World, faction: Faction, way: str, seed: str) -> bytes:
    made = WAYS[way](random.Random(f"{way} {seed}"))
    to = f"mentat+{world.token(faction)}@arrakis.example"
    return made.mail(address_of(faction), to, f"<{way}.{seed}@players.example>")


def _main(wanted: Sequence[str]) -> None:
    loop = calibration()
    print(f"calibration {loop:.3f} s")
    found: list[tuple[float, float, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for phase, world, faction in positions(Path(folder)):
            world.say(faction, "I wold like to biid 3 please")  # the first mail builds the grammar
            for way in WAYS:
                if wanted and not any(word in way for word in wanted):
                    continue
                raw = hostile_mail(world, faction, way, phase)
                with measured(world.moderator) as cost:
                    verdict = world.moderator.deliver(raw, world.now)
                found.append(
                    (cost.whole, cost.locked, f"{way} {phase} {len(raw)} {verdict.disposition} {verdict.reason[:50]}")
                )
    for whole, locked, what in sorted(found, reverse=True):
        print(f"{whole * 1e3:8.0f} ms {locked * 1e3:8.0f} ms locked  {whole / loop:5.1f} x  {what}")


if __name__ == "__main__":
    _main(sys.argv[1:])
