"""Names under which persons stand in the archive: what a name may be, and the blank for one in an order."""

from __future__ import annotations

import re
import unicodedata

from bot.orders.blanks import Misread, Node, Reading
from bot.orders.names import FACTION_NAMES
from bot.wording.sentences import say
from rules.components import Faction, faction_name

LONGEST = 40
NO_NAME = "none"
_NOT_SHOWN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")  # Unicode's categories: control, format (marks of direction) …
_RESERVED = ("mentat", "gm", "gamemaster", "caretaker", "deleted", "nobody", "public", NO_NAME)
_PILED_UP = re.compile(r"([\u0300-\u036f\u0489\u1ab0-\u1aff\u20d0-\u20ff]{2})[\u0300-\u036f\u0489\u1ab0-\u20ff]+")


class NameRefused(ValueError):
    """Nobody can stand in the archive under this name; the message says why."""


def default_name(faction: Faction, game: str) -> str:
    """Under what somebody stands who chose no name: "Atreides of sietch-7"."""
    return f"{faction_name(faction)} of {game}"


def cleaned(text: str) -> str:
    """A name without what cannot be seen: control characters, marks of direction, room at its ends and twice inside."""
    kept = "".join(
        " " if char.isspace() else char
        for char in unicodedata.normalize("NFC", text)
        if char.isspace() or unicodedata.category(char) not in _NOT_SHOWN
    )
    return " ".join(_PILED_UP.sub(r"\1", kept).split()).strip("\"'“”„‘’«» ")


def folded(name: str) -> str:
    """By what two names count as the same: letters and digits, whatever their case and width."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(char for char in plain if char.isalnum())


def archive_name(text: str) -> str:
    """The name that somebody may stand under who wants this one. NameRefused if there is none."""
    name = cleaned(text)
    key = folded(name)
    if not key:
        raise NameRefused(say("archive-name.empty"))
    if len(name) > LONGEST:
        raise NameRefused(say("archive-name.too-long", length=len(name), most=LONGEST))
    if "@" in unicodedata.normalize("NFKC", name) or re.search(r"\w\.\w+/|://", name):
        raise NameRefused(say("archive-name.address"))
    alone = re.split(r"\bof\b", name, maxsplit=1, flags=re.IGNORECASE)[0]  # "Atreides of sietch-7" is somebody's
    if key in _RESERVED or FACTION_NAMES.whole(name) or FACTION_NAMES.whole(alone):
        raise NameRefused(say("archive-name.reserved", name=name))
    return name


def read_archive_name(reading: Reading, node: Node) -> str:
    """A name, empty for none."""
    words = reading.words(node)
    text = reading.text[words.span[0] :]
    if cleaned(text).rstrip(".").casefold() == NO_NAME:
        return ""
    try:
        return archive_name(text)
    except NameRefused as refused:
        raise Misread(str(refused), words.span) from None


def write_archive_name(name: str) -> str:
    """The name as the order has it."""
    return name or NO_NAME
