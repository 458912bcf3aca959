"""The rulebook: every clause of the documents, under the id by which refusals, rulings and tests cite it.

The clauses are in `data/rulebook/*.toml`, in our own words. An id names the document and the place in it:
"AH.VIII.B.2-a" is the first rule of section VIII.B.2 of the 1979 text, and "WBC.HR.4b" belongs to house rule 4. An id
without its last part, such as "AH.VIII.B.2", names the section and stands for all its rules.

A refusal or an event names a *topic*. ``data/topics/*.toml`` maps each topic to a clause of each book. There is one
file for each chapter, with one TOML table for each topic::

    ["charity.who-is-poor"]
    ah-1979 = "AH.VIII.I-a"
    wbc-2018 = "WBC.VIII.2"       # only where that book says more than the one it builds on

A rule set names its books in order of precedence ("books" in its file).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple, Protocol

import msgspec

from rules.components.facts import FactsError, data_folder, document, written_table, written_tables
from rules.components.terms import Edition, in_words_of

DOCUMENTS: tuple[str, ...] = ("wbc-2018", "ah-1979", "vaca-2.0", "gf9-basic", "gf9-faq", "ixians-tleilaxu")
"""The files of `data/rulebook`. The file of the default rule set comes first."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule of one document.

    - `source` is the place in the document.
    - `tier` is "basic", "optional", "advanced", "house rule" or "clarification".
    - `phase` is the phase to which the rule belongs, or "any" if there may be several.
    - `standing` explains how another rule has replaced or narrowed this one. It is empty for a rule that applies
      unchanged.
    - `superseded` is true if the rule has been replaced.
    - `book` is the file in `data/rulebook`.
    """

    id: str
    topic: str
    rule: str
    source: str
    tier: str
    phase: str
    document: str
    standing: str
    superseded: bool
    book: str


class UnknownClause(LookupError):
    pass


class _Written(NamedTuple):
    file: str
    above: str
    table: str


def _written_clauses() -> dict[str, _Written]:
    clauses: dict[str, _Written] = {}
    for name in DOCUMENTS:
        file = f"rulebook/{name}.toml"
        above, *tables = written_tables(file, "clause")
        for table in tables:
            id = table.partition('id = "')[2].partition('"')[0]
            if id in clauses:
                raise FactsError(f"The data file {file}: the clause {id} appears twice.")
            clauses[id] = _Written(file, above, table)
    return clauses


class _Clauses(Mapping[str, Clause]):
    """The clauses by their ids. Each clause is read only when it is needed, because reading all of them takes much
    longer."""

    def __init__(self) -> None:
        self.written = _written_clauses()
        self._read: dict[str, Clause] = {}

    def __getitem__(self, id: str) -> Clause:
        if id not in self._read:
            self._read[id] = _clause(self.written[id])
        return self._read[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.written)

    def __len__(self) -> int:
        return len(self.written)


def _clause(written: _Written) -> Clause:
    entry = written_table(written.file, written.table)
    return Clause(
        id=entry.text("id"),
        topic=entry.text("topic"),
        rule=entry.text("rule"),
        source=entry.text("source"),
        tier=entry.text("tier"),
        phase=entry.text("phase"),
        document=written_table(written.file, written.above).text("document"),
        standing=entry.text("superseded", "") or entry.text("narrowed", ""),
        superseded=bool(entry.text("superseded", "")),
        book=written.file.removeprefix("rulebook/").removesuffix(".toml"),
    )


_CLAUSES = _Clauses()
CLAUSES: Mapping[str, Clause] = _CLAUSES
_BY_KEY: Mapping[str, str] = {id.casefold(): id for id in CLAUSES}


def is_clause(id: str) -> bool:
    return id.strip().casefold() in _BY_KEY


def clause(id: str) -> Clause:
    """Return the clause with this id, in upper or lower case. Raise `UnknownClause` if there is none.

    Example: `clause("WBC.X.2").document == "WBC Dune 2018, house rules and clarifications"`.
    """
    found = _BY_KEY.get(id.strip().casefold())
    if found is not None:
        return CLAUSES[found]
    rules = section(id)
    if rules:
        raise UnknownClause(f"{id} is a section of {len(rules)} clauses: {', '.join(rule.id for rule in rules)}.")
    close = difflib.get_close_matches(id.strip().casefold(), _BY_KEY, n=1)
    guess = f"; did you mean {_BY_KEY[close[0]]}?" if close else "."
    raise UnknownClause(f"There is no clause {id}{guess}")


def wrong_citations(cited: object) -> list[str]:
    if not isinstance(cited, list):
        return [f'clauses = {cited!r} is not a list of clauses, like ["AH.X.C.2"].']
    found = []
    for id in map(str, cited):
        try:
            clause(id)
        except UnknownClause as unknown:
            found += [] if section(id) else [str(unknown)]
    return found


def rule_of(id: str) -> str:
    """Return the text of the clause with this id, or "" if the id names a section, is unknown or is empty.

    Example: `rule_of("") == ""`.
    """
    found = _BY_KEY.get(id.strip().casefold())
    return CLAUSES[found].rule if found else ""


@lru_cache(maxsize=1024)
def section(id: str) -> tuple[Clause, ...]:
    """Return the clause with this id, or all rules of the section with this id in the order of the document. Return ()
    if there is neither.

    Example: `section("AH.IX.C.2.c")` returns the three rules on storm and sector lines.
    """
    key = id.strip().casefold()
    named = [id for name, id in _BY_KEY.items() if name == key or (name.startswith(key) and name[len(key)] in ".-")]
    named = named or [id for name, id in _BY_KEY.items() if name[:-1] == key and "a" <= name[-1] <= "z"]
    return tuple(CLAUSES[id] for id in named)


def find(words: str) -> list[Clause]:
    """Return the clauses that match an id, a section or a text, the best first, or [] if there are none.

    Every word of the text must be the beginning of a word in the clause, as in `find("storm rock")`. A clause whose
    topic contains the words comes before a clause that only mentions them.
    """
    named = section(words)
    if named:
        return list(named)
    wanted = _words(words)
    if not wanted:
        return []
    ranked = []
    for place, (id, written) in enumerate(_CLAUSES.written.items()):
        table = written.table.casefold()
        if not all(part in table for part in wanted):
            continue  # skip parsing this clause
        found = CLAUSES[id]
        text = _words(f"{found.topic} {found.rule} {found.source}")
        if all(any(word.startswith(part) for word in text) for part in wanted):
            topic = _words(found.topic)
            hits = sum(any(word.startswith(part) for word in topic) for part in wanted)
            ranked.append((-hits, place, found))
    return [found for _, _, found in sorted(ranked, key=lambda hit: hit[:2])]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.casefold())


# --- refusals that cite them -----------------------------------------------------------------------------------------


class Cited(Protocol):
    """The part of a rule set that a refusal needs in order to cite a clause: the books in order of precedence, and the
    edition whose terms are used."""

    @property
    def books(self) -> tuple[str, ...]: ...

    @property
    def edition(self) -> Edition: ...


class Refusal(msgspec.Struct, frozen=True):
    """The reason why something is refused, worded so that a player knows what to do.

    ``reason`` is one clear sentence that says what is wrong and, if possible, what would be right. ``topic`` names the
    rule behind it ("shipment.one-a-turn"), independent of any book. ``clause`` is the clause in the rule set of the
    game ("AH.IX.C.1.a-a"), which the engine adds. A refusal reveals nothing that its reader must not know.
    """

    reason: str
    topic: str
    clause: str = ""

    def cited(self, rules: Cited) -> Refusal:
        """Return this refusal in the terms of a rule set. It cites the clause on its topic from the first of the rule
        set's books that has one."""
        return Refusal(in_words_of(rules.edition, self.reason), self.topic, clause_of(self.topic, rules.books))


@cache
def topics() -> Mapping[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = {}
    for file in sorted((data_folder() / "topics").glob("*.toml")):
        for name, clauses in document(f"topics/{file.name}").values.items():
            found[name] = clauses
    return found


def clause_of(topic: str, books: tuple[str, ...]) -> str:
    return next(iter(clauses_on(topic, books)), "")


@cache
def clauses_on(topic: str, books: tuple[str, ...]) -> tuple[str, ...]:
    clauses = topics().get(topic, {})
    return tuple(clauses[book] for book in books if book in clauses)
