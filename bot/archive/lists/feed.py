"""`feed.xml`: the games that have ended, for programs that watch the archive (Atom, RFC 4287).

Ids are made from what a game is committed to, so they need no host and stay the same wherever the archive lies; its
addresses are relative to the feed. A day is all that is known of when a game ended, and nothing says when it was built.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import date
from xml.etree import ElementTree

from bot.archive.lists.summary import Summary
from bot.wording.filters import name
from bot.wording.sentences import phrases, say

FEED = "feed.xml"
LATEST = 50
ATOM = "http://www.w3.org/2005/Atom"
NO_DAY = date(2000, 1, 1)
_OURS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:mentat:archive")
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def feed(games: Sequence[Summary], archive: str = "") -> bytes:
    """The latest games, of those given newest first; ``archive`` tells one archive from others. Where it has no name of
    its own, its first game does."""
    archive = archive or (games[-1].commitment if games else "")
    ElementTree.register_namespace("", ATOM)
    root = _element(None, "feed")
    _element(root, "title", say("lists.feed.title"))
    _element(root, "id", _id(f"archive {archive}"))
    _element(root, "updated", _instant(max((game.ended or NO_DAY for game in games), default=NO_DAY)))
    author = _element(root, "author")
    _element(author, "name", "Mentat")
    _element(root, "link", rel="self", href=FEED, type="application/atom+xml")
    _element(root, "link", rel="alternate", href="index.html", type="text/html")
    for game in games[:LATEST]:
        _entry(root, game)
    ElementTree.indent(root, "")
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _entry(root: ElementTree.Element, game: Summary) -> None:
    entry = _element(root, "entry")
    _element(entry, "title", title_of(game))
    _element(entry, "id", _id(f"game {game.commitment or game.id}"))
    _element(entry, "updated", _instant(game.ended or NO_DAY))
    if game.ended:
        _element(entry, "published", _instant(game.ended))
    _element(entry, "link", rel="alternate", href=f"game/{game.id}/index.html", type="text/html")
    _element(entry, "category", term=game.ruleset)
    players = [{"faction": seat.faction, "player": seat.name} for seat in game.seats]
    _element(entry, "summary", say("lists.feed.summary", players=players, battles=game.battles, how=kind_of(game)))


def title_of(game: Summary) -> str:
    """Who won, when, which game: "Atreides and Fremen win on turn 6 · sietch-7 · wbc-2018"."""
    return say("lists.game", winners=game.winners, turn=game.turns, game=game.id, ruleset=game.ruleset)


def kind_of(game: Summary) -> str:
    """By what the game was won, as the lists name it; the word of the rules for a kind that they do not know."""
    return say(f"lists.kind.{game.how}") if game.how in phrases("lists.kind") else name(game.how)


def _element(parent: ElementTree.Element | None, tag: str, text: str = "", **attributes: str) -> ElementTree.Element:
    named = f"{{{ATOM}}}{tag}"
    safe = {key: _NO_XML.sub("", value) for key, value in attributes.items()}
    made = ElementTree.Element(named, safe) if parent is None else ElementTree.SubElement(parent, named, safe)
    made.text = _NO_XML.sub("", text) or None
    return made


def _id(what: str) -> str:
    return uuid.uuid5(_OURS, what).urn


def _instant(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
