"""Sentence templates that are filled with facts. Every word that a person reads in a mail comes from such a template.

A sentence is a Jinja template in a TOML file below ``templates/``. Its name consists of its TOML table and its key:
``say("subject.nothing")``. Each TOML table is in one file only, so the name of that file does not matter. Sentences do
not compute. Filters write names, plurals, lists, forces and days (``bot.wording.filters``). Three more filters let one
sentence use another:

- ``{{ plan | filled("battle-plan.words") }}``: that sentence, filled in with the facts of a mapping,
- ``{{ battles | each("event.battles-listed.battle") | join("; ") }}``: that sentence once for each item. The items are
  mappings; if names are given for their parts, they may also be pairs: ``{{ hands | each("count.hand", "faction",
  "number") | listed }}``,
- ``{{ why | choice("question.karama-window.why") }}``: the sentence of that table whose key is the value.

The included sentence can also use the facts given to the sentence that includes it. A missing fact is an error, and is
never replaced by an empty string.

Sentences are written with the terms of the 1979 edition. Inside ``with speaking("2019"):`` they use the terms of the
2019 edition (``rules.components.terms``), and so do the filters for names and forces. A table under the year, such as
``[2019.question.bg-status]``, contains sentences for that edition only; they replace the sentences of the same name.

Deadlines are written as people say them: "Tue 24 Nov 21:00 Berlin time, in 2 days".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bot import ResourceError, template_source, templates_dir
from bot.wording.filters import plural, spoken_edition
from rules.components.terms import Edition, in_words_of
from rules.kept import kept, states_of

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from jinja2.runtime import Context


MOST_KEPT = 200  # results kept for each sentence


def say(sentence: str, **facts: Any) -> str:
    """Return a sentence filled in with facts: ``say("subject.nothing", game="sietch-12", turn=4, phase="storm")``.
    Raise `ResourceError` if the sentence does not exist, and jinja2.UndefinedError if a fact is missing."""
    return written(sentence).render(facts)


def written(sentence: str) -> Sentence:
    ready = find(sentence)
    if ready is None:
        raise ResourceError(
            f"No file below {templates_dir()} has the sentence {sentence!r}: restore it, or reinstall Mentat."
        )
    return ready


def find(sentence: str) -> Sentence | None:
    return find_in(spoken_edition(), sentence)


@cache
def find_in(edition: Edition, sentence: str) -> Sentence | None:
    source = sources().get(f"{edition}.{sentence}")
    if source is None and (source := sources().get(sentence)) is not None:
        source = "".join(part if part.startswith("{") else in_words_of(edition, part) for part in _BLOCKS.split(source))
    return None if source is None else Sentence(source, sentence)


_BLOCKS = re.compile(r"(\{\{.*?\}\}|\{%.*?%\})", re.DOTALL)  # template code


def phrases(table: str) -> Sequence[str]:
    """Return the names of all sentences in one TOML table: "own", "prediction" and others for ``phrases("duty")``."""
    return [key.removeprefix(f"{table}.") for key in sources() if key.startswith(f"{table}.")]


class Sentence:
    """One sentence, ready to be filled in with facts. Recent results for the same plain facts are cached, because the
    same event is reported to six players and every letter has the same heading."""

    __slots__ = ("_kept", "_template", "source")

    def __init__(self, source: str, where: str) -> None:
        self.source = " ".join(source.split())
        self._template: Template | None = None
        self._kept: dict[str, str] = {}
        if "{" not in source:
            return
        from jinja2 import TemplateSyntaxError

        try:
            self._template = environment().from_string(self.source)
        except TemplateSyntaxError as error:
            raise ResourceError(f"The sentence {where} is not valid Jinja ({error.message}): correct it.") from error
        self._template.globals = {}  # a plain dict: ten times faster to search than Jinja's chain

    def render(self, facts: Mapping[str, Any]) -> str:
        if self._template is None:
            return self.source
        if not all(map(_plain, facts.values())):
            return " ".join(self._template.render(facts).split())
        key = repr(facts)
        told = self._kept.get(key)
        if told is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            told = self._kept[key] = " ".join(self._template.render(facts).split())
        return told


def _plain(value: object) -> bool:
    if isinstance(value, _WORDS):
        return True
    if isinstance(value, (list, tuple)):
        return all(map(_plain, value))
    return isinstance(value, dict) and all(map(_plain, value)) and all(map(_plain, value.values()))


_WORDS = (str, int, float, NoneType)  # built once, because every fact of every sentence needs it


# --- the environment -------------------------------------------------------------------------------------------------


@cache
def environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_context

    from bot.wording.filters import FILTERS

    made = Environment(
        loader=FunctionLoader(template_source),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=lambda file: file is not None and ".html" in file,
    )
    made.filters |= FILTERS
    made.filters |= {"filled": pass_context(_filled), "each": pass_context(_each), "choice": pass_context(_choice)}
    made.tests["kind"] = lambda block, kind: type(block).__name__ == kind
    return made


def _filled(context: Context, facts: Mapping[str, Any], sentence: str) -> str:
    return written(sentence).render({**context.get_all(), **facts})


def _each(context: Context, things: Iterable[Any], sentence: str, *names: str) -> list[str]:
    outer, words = context.get_all(), written(sentence)
    return [words.render({**outer, **inner}) for inner in _facts(things, names)]


def _facts(things: Iterable[Any], names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    several: Iterable[Any] = things.items() if isinstance(things, Mapping) else things
    for thing in several:
        if not names:
            yield thing
        elif len(names) == 1:
            yield {names[0]: thing}
        else:
            yield dict(zip(names, thing, strict=True))


def _choice(context: Context, value: object, table: str, otherwise: str = "") -> str:
    words = find(f"{table}.{value}") or written(f"{table}.{otherwise or value}")
    return words.render(context.get_all())


# --- the files -------------------------------------------------------------------------------------------------------


@cache
def sources() -> Mapping[str, str]:
    """Return the source of all sentences below ``templates/``, by name. Raise `ResourceError` for a file that is not
    valid TOML, a value that is not a string, or a table that is in two files."""
    files = sorted(templates_dir().rglob("*.toml"))
    return MappingProxyType(kept(__file__, "sentences", states_of(files), lambda: _read(files)))


def _read(files: Sequence[Path]) -> dict[str, str]:
    known: dict[str, str] = {}
    homes: dict[str, str] = {}
    for path in files:
        file = path.relative_to(templates_dir()).as_posix()
        for key, text in _flat(_toml(file), ""):
            table = key.rpartition(".")[0]
            if not isinstance(text, str) or not table or homes.setdefault(table, file) != file:
                raise ResourceError(f"In {path}, {key!r} must be a string, in a table of this file only: correct it.")
            known[key] = text
    return known


def _toml(file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(template_source(file))
    except tomllib.TOMLDecodeError as error:
        raise ResourceError(f"The template {templates_dir() / file} is not TOML ({error}): correct it.") from error


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def moment(due: datetime, zone: ZoneInfo) -> str:
    local = due.astimezone(zone)
    return say("time.moment", weekday=local.weekday(), day=local.day, month=local.month, clock=f"{local:%H:%M}")


def brief_moment(due: datetime, now: datetime, zone: ZoneInfo) -> str:
    # Return "Sun 21:57" for the next six days, else "Sun 29 Nov 21:57".
    local = due.astimezone(zone)
    if timedelta() <= due - now < timedelta(days=6):
        return say("time.brief", weekday=local.weekday(), clock=f"{local:%H:%M}")
    return moment(due, zone)


def day_and_month(when: date) -> str:
    return say("time.day", day=when.day, month=when.month)


def clock_of(zone: ZoneInfo) -> str:
    """Return the name of a zone's time: "Berlin time", "UTC", "UTC-5"."""
    if zone.key.startswith(("Etc/GMT", "UTC")) and (offset := zone.utcoffset(None)):
        return offset_words(offset)
    city = zone.key.rpartition("/")[2].replace("_", " ")
    return "UTC" if city.upper() in ("UTC", "GMT", "UCT", "ZULU", "UNIVERSAL") else say("time.zone", city=city)


def offset_words(offset: timedelta) -> str:
    minutes = abs(offset) // timedelta(minutes=1)
    span = f"{minutes // 60:02}:{minutes % 60:02}" if minutes % 60 else f"{minutes // 60}"
    return f"UTC{'-' if offset < timedelta() else '+'}{span}" if minutes else "UTC"


def now_there(now: datetime, zone: ZoneInfo) -> str:
    local = now.astimezone(zone)
    return say("time.there", moment=moment(now, zone), offset=offset_words(local.utcoffset() or timedelta()))


def distance(due: datetime, now: datetime) -> str:
    """Return the time from ``now`` until ``due`` in words: "in 2 days", "in 5 hours", "in 20 minutes", "now"."""
    left = due - now
    if left < timedelta(minutes=1):
        return say("time.now")
    if left < timedelta(minutes=90):
        return say("time.in", span=plural(round(left / timedelta(minutes=1)), "minute"))
    if left < timedelta(hours=36):
        return say("time.in", span=plural(round(left / timedelta(hours=1)), "hour"))
    return say("time.in", span=plural(round(left / timedelta(days=1)), "day"))


def deadline(due: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Return a deadline in words: "Tue 24 Nov 21:00 Berlin time (in 2 days)"."""
    return say("time.by", moment=moment(due, zone), zone=clock_of(zone), distance=distance(due, now))
