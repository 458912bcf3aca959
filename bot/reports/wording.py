"""Sentences from templates: Jinja that knows the game's names, and fails on a fact that is not there.

A file of sentences is TOML below ``templates/``; each table or string in it is named by dots ("subject.nothing").
Beside its facts a sentence may use ``name`` (a faction, territory or area by its id), ``tokens`` ("3+2"), ``plural``,
``listed`` ("a, b and c") and ``strength`` (of a leader).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, TemplateSyntaxError
from jinja2.utils import Namespace

from bot.resources import ResourceError, template_source, templates_dir
from rules.components import FACTIONS, LEADERS, Forces, Leader, faction_name
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId, area_name

WORDS = "letters/words.toml"
MOST_KEPT = 200  # ways in which one sentence was filled in lately
ELITE: Mapping[str, str] = {"emperor": "Sardaukar", "fremen": "Fedaykin"}


def say(sentence: str, **facts: Any) -> str:
    """A sentence of the letters with its facts: ``say("subject.nothing", game="sietch-12", turn=4)``.

    `ResourceError` names a sentence that is missing; jinja2.UndefinedError a fact that is.
    """
    return template(WORDS, sentence).render(facts)


def name(thing: str) -> str:
    """The printed name of a faction, a territory or an area; anything else is itself.

    >>> name("bene-gesserit"), name("imperial-basin/9"), name("tueks-sietch")
    ('Bene Gesserit', 'Imperial Basin/9', "Tuek's Sietch")
    """
    if thing in FACTIONS:
        return faction_name(thing)
    if thing in TERRITORIES:
        return TERRITORIES[TerritoryId(thing)].name
    if "/" in thing or thing == POLAR_SINK:
        try:
            return area_name(Area(thing))
        except KeyError:
            return thing
    return thing


def tokens(forces: str | int, faction: str = "") -> str:
    """Forces in words: "5 tokens", "3 tokens and 2 elite", with the faction "3 tokens and 2 Fedaykin".

    >>> tokens("1"), tokens("3+2"), tokens("0+1", "emperor")
    ('1 token', '3 tokens and 2 elite', '1 Sardaukar')
    """
    counted = Forces.parse(str(forces))
    elite = ELITE.get(faction, "elite")
    if not counted.elite:
        return plural(counted.ordinary, "token")
    if not counted.ordinary:
        return f"{counted.elite} {elite}" if faction in ELITE else plural(counted.elite, "elite token")
    return f"{plural(counted.ordinary, 'token')} and {counted.elite} {elite}"


def plural(number: float, word: str) -> str:
    """A number and its noun: ``plural(1, "token")`` is "1 token", ``plural(3, "territory")`` "3 territories"."""
    if number == 1:
        return f"{number} {word}"
    many = f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"
    return f"{number} {many}"


def listed(things: Iterable[str], last: str = "and") -> str:
    """``listed(["a", "b", "c"]) == "a, b and c"``"""
    *others, final = list(things) or [""]
    return f"{', '.join(others)} {last} {final}" if others else final


def strength(leader: str) -> int | str:
    """A leader's strength; of who is none, nothing."""
    facts = LEADERS.get(Leader(leader))
    return facts.strength if facts else ""


class Sentence:
    """One sentence of a template, ready to be filled in with facts.

    The same event is told to six players, and the same heading stands in every letter: what was filled in lately with
    the same plain facts is kept.
    """

    __slots__ = ("_kept", "_template", "source")

    def __init__(self, source: str, where: str) -> None:
        """`ResourceError` names the place of a sentence that is not Jinja."""
        self.source = " ".join(source.split())
        self._template: Template | None = None
        self._kept: dict[str, str] = {}
        if "{" not in source:
            return
        try:
            self._template = environment().from_string(source)
        except TemplateSyntaxError as error:
            raise ResourceError(f"The template {where} is not right ({error.message}): mend it.") from error
        self._template.globals = _TOOLS  # a plain dict: ten times quicker to look into than Jinja's chain of them

    def render(self, facts: Mapping[str, Any]) -> str:
        """The sentence with these facts, in one line. jinja2.UndefinedError for a fact that is missing."""
        if self._template is None:
            return self.source
        if not _plain(facts):
            return " ".join(self._template.render(facts).split())
        key = repr(facts)
        told = self._kept.get(key)
        if told is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            told = self._kept[key] = " ".join(self._template.render(facts).split())
        return told


def _plain(value: object) -> bool:
    """Whether a value is known by its words alone."""
    if isinstance(value, str | int | float | None):
        return True
    if isinstance(value, list | tuple):
        return all(map(_plain, value))
    return isinstance(value, dict) and all(map(_plain, value)) and all(map(_plain, value.values()))


@cache
def environment() -> Environment:
    """The Jinja environment of sentences. HTML has its own (``bot.reports.page``), which escapes."""
    made = Environment(undefined=StrictUndefined, autoescape=False, auto_reload=False)
    made.filters["name"] = name
    return made


_TOOLS: dict[str, Any] = {
    "name": name, "tokens": tokens, "plural": plural, "listed": listed, "strength": strength, "range": range,
    "namespace": Namespace,
}  # fmt: skip


@cache
def template(file: str, sentence: str) -> Sentence:
    """One sentence of a file. `ResourceError` where it is missing or is not Jinja."""
    found = _flat(file).get(sentence)
    if found is None:
        raise ResourceError(
            f"The template {templates_dir() / file} has no sentence {sentence!r}: restore it, or install Mentat again."
        )
    return Sentence(found, f"{templates_dir() / file}, {sentence}")


def phrases(file: str, table: str) -> Sequence[str]:
    """The names of the sentences of one table of a file: ``phrases("letters/words.toml", "duty")``."""
    return [key.partition(".")[2] for key in _flat(file) if key.startswith(f"{table}.")]


def sentences(folder: str) -> dict[str, dict[str, str]]:
    """All tables of the TOML files of a folder below ``templates/``, by name.

    `ResourceError` for a file that is not TOML, or a name that two files give.
    """
    tables: dict[str, dict[str, str]] = {}
    for path in sorted((templates_dir() / folder).glob("*.toml")):
        for key, table in _toml(f"{folder}/{path.name}").items():
            if key in tables or not isinstance(table, dict):
                raise ResourceError(f"The template {path} has {key!r} twice, or not as a table: mend it.")
            tables[key] = table
    return tables


def _toml(file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(template_source(file))
    except tomllib.TOMLDecodeError as error:
        raise ResourceError(f"The template {templates_dir() / file} is not TOML ({error}): mend it.") from error


@cache
def _flat(file: str) -> Mapping[str, str]:
    found: dict[str, str] = {}

    def add(table: Mapping[str, Any], prefix: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                add(value, f"{prefix}{key}.")
            else:
                found[prefix + key] = value

    add(_toml(file), "")
    return found
