"""Summaries of finished games, statistics over all games, and lists of games for other programs.

Each build keeps the summaries for the next one, so that a list of a thousand games can be written without replaying any
of them. Every percentage comes with its confidence interval and the number of games behind it.

`games.csv` (RFC 4180) and `games.jsonl` have one line for each game, for spreadsheets and other programs.

`feed.xml` lists the games that ended last (Atom, RFC 4287). Its ids are made from each game's commitment, so they need
no host name and stay the same wherever the archive is stored. Addresses are relative to the feed. The feed gives only
the day on which a game ended, and no build time.

`all-games.tar.gz` has the record of every game in one file. Concatenated gzip files form a valid gzip file, and a tar
file is a sequence of entries. So each game is packed separately, and if its record has not changed, its bytes are
copied from the old file. Adding a game means packing that game and copying the rest. The header of each piece (the
extra field of RFC 1952) identifies it by the length of the piece and the SHA-256 of the record and its name. Everything
in the file that is not a record is fixed (no times, no owners, games sorted by name), so the same games always give the
same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import struct
import tarfile
import unicodedata
import uuid
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from statistics import median
from typing import BinaryIO
from xml.etree import ElementTree

import msgspec

from bot.archive.games import FinishedGame, Step, record_head
from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.competition.statistics import Share, share
from bot.record.reader import KINDS, Outcome
from bot.wording import phrases, say
from bot.wording.filters import default_archive_name, name
from rules.components import FACTION_FACTS, FACTIONS, Faction
from rules.engine.catalogue import load_rule_set

LONGEST_NAME = 60

KARAMA = "Karama"


class Seat(msgspec.Struct, frozen=True, omit_defaults=True):
    """The player of a faction. ``name`` is empty if they chose none; such a player is known only by faction and game.
    ``listed`` is true if they agreed to appear in the list of players."""

    faction: Faction
    name: str = ""
    listed: bool = False
    caretaker: bool = False
    dot: int = 0


class Summary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The summary of a finished game.

    ``how`` is the kind of victory (the fact of `game-won`); ``instead_of`` are the factions whose victory the Bene
    Gesserit predicted. ``held`` counts the strongholds that each faction held at the end of the game;
    ``held_over_turns`` adds up its strongholds at the end of each turn. ``alliances`` are the final alliances;
    ``first_alliances`` were made at the first nexus. ``traitors`` counts the traitors that each faction called.
    ``karama`` has the auction price and the turn of each Karama, if that is published. ``record`` is the SHA-256 of the
    game's `game.jsonl`; it is empty if the record is not published. ``headline`` sums up the game in one sentence.
    """

    id: str
    ruleset: str
    began: date | None = None
    ended: date | None = None
    turns: int
    winners: tuple[Faction, ...] = ()
    how: str = ""
    instead_of: tuple[Faction, ...] = ()
    seats: tuple[Seat, ...]
    held: dict[Faction, int] = {}
    held_over_turns: dict[Faction, int] = {}
    alliances: tuple[tuple[Faction, ...], ...] = ()
    first_alliances: tuple[tuple[Faction, ...], ...] = ()
    traitors: dict[Faction, int] = {}
    battles: int = 0
    karama: tuple[tuple[int, int], ...] = ()
    commitment: str = ""
    record: str = ""
    headline: str = ""


_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(Summary)


def encode_summary(summary: Summary) -> bytes:
    return _encoder.encode(summary)


def decode_summary(data: bytes | msgspec.Raw) -> Summary:
    return _decoder.decode(data)


class SummaryGathering:
    def __init__(self, game: FinishedGame) -> None:
        self._game = game
        self._full = game.policy.ended == "full"
        self._turns = 0
        self._end = Outcome()
        self._instead_of: tuple[Faction, ...] = ()
        self._battles = 0
        self._karama: list[tuple[int, int]] = []

    def see(self, step: Step) -> None:
        self._turns = step.turn
        event = step.event
        if event is None:
            return
        self._end.see(event)
        if event.kind == "game-won":
            self._instead_of = tuple(event.facts["instead_of"])
        elif event.kind == "battle-begins":
            self._battles += 1
        elif event.kind == "card-sold" and self._full and not event.facts.get("karama"):
            bought = event.private.get(event.facts["buyer"], {}).get("card")
            self._karama += [(event.turn, event.facts["price"])] if bought == KARAMA else []

    def summary(self) -> Summary:
        game, head = self._game, record_head(self._game)
        cast, end = sorted(game.cast.values(), key=lambda one: one.dot), self._end
        return Summary(
            id=game.id, ruleset=head.ruleset, began=game.began, ended=game.ended, turns=self._turns,
            winners=end.winners, how=end.how, instead_of=self._instead_of, held=dict(end.held),
            held_over_turns=dict(end.over_turns), alliances=end.alliances, first_alliances=end.first_alliances or (),
            traitors=dict(end.traitors),
            seats=tuple(
                Seat(one.faction, _own_name(one.name, one.faction, game.id), one.listed, one.caretaker, one.dot)
                for one in cast
            ),
            battles=self._battles, karama=tuple(self._karama), commitment=head.commitment,
            record=hashlib.sha256(game.record).hexdigest() if self._full else "",
        )  # fmt: skip


def tidy_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name as one line of limited length, without invisible characters or characters that change the writing
    direction.

    >>> tidy_name("  Paul\\n Muad'Dib \\u202e"), tidy_name("Shaddam the Fourth", 8)
    ("Paul Muad'Dib", 'Shaddam…')
    """
    seen = "".join(
        sign if unicodedata.category(sign)[0] != "C" else " " if sign.isspace() else ""
        for sign in name[: 20 * LONGEST_NAME]
    )
    line = _SPACE.sub(" ", seen).strip()
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


_SPACE = re.compile(r"\s+")


def _own_name(name: str, faction: Faction, game: str) -> str:
    return "" if name == default_archive_name(faction, game) else tidy_name(name)


def outcome_of_summary(game: Summary) -> TableOutcome:
    return TableOutcome(
        game=game.id,
        ruleset=game.ruleset,
        kind=KINDS.get(game.how, "stronghold") if game.winners else "void",
        winners=game.winners,
        turn=game.turns,
        how=game.how,
        seats=tuple(
            SeatOutcome(
                faction=seat.faction,
                dot=seat.dot,
                tenures=(Tenure(entrant=seat.name, first=1, last=max(game.turns, 1)),),
                strongholds=game.held.get(seat.faction, 0),
                strongholds_over_turns=game.held_over_turns.get(seat.faction, 0),
            )
            for seat in game.seats
        ),
        ended=game.ended,
        days=(game.ended - game.began).days + 1 if game.began and game.ended else 0,
        alliances=game.alliances,
        first_alliances=game.first_alliances,
        traitors=game.traitors,
    )


@dataclass(slots=True)
class Statistics:
    games: int = 0
    factions: Mapping[Faction, Share] = field(default_factory=dict)
    by_rule_set: Mapping[str, Mapping[Faction, Share]] = field(default_factory=dict)
    by_turn: Mapping[int, Counter[Faction]] = field(default_factory=dict)
    by_kind: Mapping[str, Counter[Faction]] = field(default_factory=dict)
    games_of_kind: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    middle_length: float = 0.0
    karama: Mapping[int, Sequence[int]] = field(default_factory=dict)


def count_statistics(games: Sequence[Summary]) -> Statistics:
    """Compute the statistics of these games. There must be at least one game. If several factions share a victory, it
    counts as a win for each of them."""
    by_rule_set: dict[str, list[Summary]] = defaultdict(list)
    by_turn: dict[int, Counter[Faction]] = defaultdict(Counter)
    by_kind: dict[str, Counter[Faction]] = defaultdict(Counter)
    karama: dict[int, list[int]] = defaultdict(list)
    for game in games:
        by_rule_set[game.ruleset].append(game)
        by_turn[game.turns].update(game.winners)
        by_kind[game.how].update(game.winners)
        if game.ended is not None:
            karama[game.ended.year] += [price for _, price in game.karama]
    lengths = [game.turns for game in games]
    return Statistics(
        games=len(games),
        factions=_shares(games),
        by_rule_set={ruleset: _shares(those) for ruleset, those in sorted(by_rule_set.items())},
        by_turn=dict(sorted(by_turn.items())),
        by_kind=dict(sorted(by_kind.items())),
        games_of_kind=Counter(game.how for game in games),
        lengths=Counter(lengths),
        middle_length=float(median(lengths)),
        karama={year: sorted(prices) for year, prices in sorted(karama.items()) if prices},
    )


def factions_played(games: Sequence[Summary]) -> list[Faction]:
    there = {seat.faction for game in games for seat in game.seats}
    return [faction for faction in FACTION_FACTS if faction in there]


def _shares(games: Sequence[Summary]) -> dict[Faction, Share]:
    played = Counter(seat.faction for game in games for seat in game.seats)
    won = Counter(winner for game in games for winner in game.winners)
    return {faction: share(won[faction], played[faction]) for faction in factions_played(games)}


CSV_COLUMNS = ("game", "ruleset", "began", "ended", "turns", "winners", "how", "battles")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def games_csv(games: Sequence[Summary]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, dialect="excel")
    factions = factions_played(games) or list(FACTIONS)
    writer.writerow([*CSV_COLUMNS, *factions])
    for game in games:
        players = {seat.faction: seat.name or default_archive_name(seat.faction, game.id) for seat in game.seats}
        cells = [
            game.id,
            game.ruleset,
            game.began or "",
            game.ended or "",
            game.turns,
            " ".join(game.winners),
            game.how,
            game.battles,
            *(players.get(faction, "") for faction in factions),
        ]
        writer.writerow([harmless_cell(str(cell)) for cell in cells])
    return out.getvalue().encode()


def harmless_cell(cell: str) -> str:
    """Escape a cell so that no spreadsheet takes it for a formula.

    >>> harmless_cell("=1+1"), harmless_cell("Duke")
    ("'=1+1", 'Duke')
    """
    return f"'{cell}" if cell.lstrip().startswith(_FORMULA) or cell.startswith(_FORMULA) else cell


def games_jsonl(games: Sequence[Summary]) -> bytes:
    return b"".join(encode_summary(game) + b"\n" for game in games)


FEED = "feed.xml"
LATEST = 50
ATOM = "http://www.w3.org/2005/Atom"
NO_DAY = date(2000, 1, 1)
_OURS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:mentat:archive")
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def feed_xml(games: Sequence[Summary], archive: str = "") -> bytes:
    """Return the feed of the latest games, which are given newest first. ``archive`` identifies this archive; the
    default is its oldest game."""
    archive = archive or (games[-1].commitment if games else "")
    newest = max((game.ended or NO_DAY for game in games), default=NO_DAY)
    head = FeedEntry(say("lists.feed.title"), f"archive {archive}", "index.html", newest)
    return atom_feed(head, FEED, [_feed_entry(game) for game in games[:LATEST]])


def _feed_entry(game: Summary) -> FeedEntry:
    players = [{"faction": seat.faction, "player": seat.name} for seat in game.seats]
    facts = {"players": players, "battles": game.battles, "how": victory_in_words(game.how), "winners": game.winners}
    about = say("lists.feed.summary", **facts)
    what, page = f"game {game.commitment or game.id}", f"game/{game.id}/index.html"
    return FeedEntry(feed_title(game), what, page, game.ended or NO_DAY, game.ended, game.ruleset, about)


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry of a feed, or the head of the feed. ``what`` identifies it permanently; ``page`` is an address relative
    to the archive."""

    title: str
    what: str
    page: str
    updated: date
    published: date | None = None
    category: str = ""
    about: str = ""


def atom_feed(head: FeedEntry, file: str, entries: Sequence[FeedEntry]) -> bytes:
    ElementTree.register_namespace("", ATOM)
    root = _add_element(None, "feed")
    _add_element(root, "title", head.title)
    _add_element(root, "id", _feed_id(head.what))
    _add_element(root, "updated", _instant(head.updated))
    author = _add_element(root, "author")
    _add_element(author, "name", "Mentat")
    _add_element(root, "link", rel="self", href=file, type="application/atom+xml")
    _add_element(root, "link", rel="alternate", href=head.page, type="text/html")
    for each in entries:
        entry = _add_element(root, "entry")
        _add_element(entry, "title", each.title)
        _add_element(entry, "id", _feed_id(each.what))
        _add_element(entry, "updated", _instant(each.updated))
        if each.published:
            _add_element(entry, "published", _instant(each.published))
        _add_element(entry, "link", rel="alternate", href=each.page, type="text/html")
        _add_element(entry, "category", term=each.category)
        _add_element(entry, "summary", each.about)
    ElementTree.indent(root, "")
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def feed_title(game: Summary) -> str:
    return say(
        "lists.game", winners=game.winners, turn=game.turns, game=game.id, ruleset=load_rule_set(game.ruleset).title
    )


def victory_in_words(how: str) -> str:
    return say(f"lists.kind.{how}") if how in phrases("lists.kind") else name(how)


def _add_element(
    parent: ElementTree.Element | None, tag: str, text: str = "", **attributes: str
) -> ElementTree.Element:
    named = f"{{{ATOM}}}{tag}"
    safe = {key: _NO_XML.sub("", value) for key, value in attributes.items()}
    made = ElementTree.Element(named, safe) if parent is None else ElementTree.SubElement(parent, named, safe)
    made.text = _NO_XML.sub("", text) or None
    return made


def _feed_id(what: str) -> str:
    return uuid.uuid5(_OURS, what).urn


def _instant(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"


ALL_GAMES = "all-games.tar.gz"
_HEAD = struct.Struct("<4sIBB")
_EXTRA = struct.Struct("<HBBHI32s")
_TAIL = struct.Struct("<II")
_FIRST = b"\x1f\x8b\x08\x04"
_LAST = hashlib.sha256(b"").digest()  # marks the end of the tar file


@dataclass(frozen=True, slots=True)
class GameRecord:
    id: str
    sha256: str
    read: Callable[[], bytes]


def pack_all_games(games: Iterable[GameRecord], before: BinaryIO | None = None) -> Iterator[bytes]:
    """Yield the packed file in pieces, one for each game, copying unchanged games from ``before``, the previous version
    of the file. If ``before`` is not such a file, every game is packed again."""
    kept = dict(_packed_pieces(before)) if before is not None else {}
    for game in sorted(games, key=lambda game: game.id):
        key = hashlib.sha256(f"{game.id}\n{game.sha256}".encode()).digest()
        place = kept.get(key)
        if before is not None and place is not None:
            before.seek(place[0])
            yield before.read(place[1])
        else:
            yield _pack(_tar_entry(game.id, game.read()), key)
    yield _pack(bytes(2 * tarfile.BLOCKSIZE), _LAST)


def _tar_entry(game: str, record: bytes) -> bytes:
    about = tarfile.TarInfo(f"all-games/{game}.jsonl")
    about.size, about.mode = len(record), 0o644
    head = about.tobuf(format=tarfile.PAX_FORMAT)
    return head + record + bytes(-len(record) % tarfile.BLOCKSIZE)


def _pack(data: bytes, key: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(data) + packer.flush()
    tail = _TAIL.pack(zlib.crc32(data), len(data) & 0xFFFFFFFF)
    size = _HEAD.size + _EXTRA.size + len(body) + len(tail)
    extra = _EXTRA.pack(40, ord("M"), ord("T"), 36, size, key)
    return _HEAD.pack(_FIRST, 0, 0, 255) + extra + body + tail


def _packed_pieces(file: BinaryIO) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Yield the key, offset and length of each piece of the file, stopping at the first piece that Mentat did not
    write."""
    place, head = 0, _HEAD.size + _EXTRA.size
    end = file.seek(0, 2)
    while place + head <= end:
        file.seek(place)
        read = file.read(head)
        _, first, second, _, size, key = _EXTRA.unpack_from(read, _HEAD.size)
        if not read.startswith(_FIRST) or (first, second) != (ord("M"), ord("T")) or not head < size <= end - place:
            return
        yield key, (place, size)
        place += size
