"""Tests that sentences are filled in strictly, can use each other, and are named if missing or wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jinja2 import StrictUndefined, UndefinedError

import bot
from bot import ResourceError, wording
from bot.render.blocks import Document, Paragraph
from bot.render.html import as_html
from bot.wording import MOST_KEPT, Sentence, environment, phrases, say, sources


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield an installation with its own templates."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "templates/letters").mkdir(parents=True)
    monkeypatch.setattr(bot, "_PACKAGE", tmp_path / "bot")
    monkeypatch.setattr(bot, "_REPOSITORY", tmp_path)
    for kept in (wording.find_in, sources):
        kept.cache_clear()
    yield tmp_path / "templates/letters"
    for kept in (wording.find_in, sources):
        kept.cache_clear()


def test_a_fact_that_is_missing_is_an_error_and_no_empty_word() -> None:
    assert environment().undefined is StrictUndefined
    with pytest.raises(UndefinedError, match="'turn' is undefined"):
        say("end.title", winners=["guild"])


def test_a_sentence_can_be_said_for_each_of_several_things(folder: Path) -> None:
    (folder / "a.toml").write_text(
        """[a]
        hands = "{{ cards | each('a.hand', 'faction', 'number') | listed }}"
        hand = "{{ faction | name }} {{ number }} of {{ most }}"
        battles = "{{ battles | each('a.battle') | join('; ') }}"
        battle = "{{ one }} against {{ other }}"
        songs = "{{ songs | each('a.song', 'song') | join }}"
        song = "({{ song }})"
        """,
        encoding="utf-8",
    )
    assert say("a.hands", cards={"guild": 3, "fremen": 4}, most=4) == "Guild 3 of 4 and Fremen 4 of 4"
    assert (
        say("a.battles", battles=[{"one": "A", "other": "B"}, {"one": "C", "other": "D"}]) == "A against B; C against D"
    )
    assert say("a.songs", songs=["la", "lo"]) == "(la)(lo)"


def test_a_sentence_can_be_chosen_by_a_fact(folder: Path) -> None:
    (folder / "a.toml").write_text(
        """[a]
        why = "{{ why | choice('a.because', 'other') }}"
        strict = "{{ why | choice('a.because') }}"
        [a.because]
        worm = "A worm is in {{ place }}."
        other = "Something is up."
        """,
        encoding="utf-8",
    )
    assert say("a.why", why="worm", place="Arrakeen") == "A worm is in Arrakeen."
    assert say("a.why", why="storm") == "Something is up."
    with pytest.raises(ResourceError, match=r"has the sentence 'a\.because\.storm'"):
        say("a.strict", why="storm")


def test_a_sentence_can_use_another_with_the_facts_of_a_mapping(folder: Path) -> None:
    (folder / "a.toml").write_text(
        """[a]
        shown = "{{ who }} showed {{ plan | filled('a.plan') }}."
        plan = "dial {{ dial }} against {{ who }}"
        """,
        encoding="utf-8",
    )
    assert say("a.shown", who="Guild", plan={"dial": 3}) == "Guild showed dial 3 against Guild."


def test_what_a_sentence_tells_is_written_anew_for_other_facts() -> None:
    told = Sentence("{{ number | plural('card') }}", "a test")
    assert [told.render({"number": number}) for number in (1, 2, 1)] == ["1 card", "2 cards", "1 card"]


class Jar:
    """An object whose string form stays the same when its data changes."""

    def __init__(self) -> None:
        self.spice = 0

    def __repr__(self) -> str:
        return "a jar"


@pytest.mark.parametrize(
    ("sentence", "wrapped"),
    [
        ("{{ it.spice }}", lambda jar: jar),
        ("{{ it[1].spice }}", lambda jar: ["a", jar]),
        ("{{ it[1].spice }}", lambda jar: ("a", jar)),
        ("{{ it.b.spice }}", lambda jar: {"a": 1, "b": jar}),
        ("{{ (it | list)[1].spice }}", lambda jar: {"a": 1, jar: 1}),
        ("{{ it.a[0].spice }}", lambda jar: {"a": [jar]}),
    ],
)
def test_what_is_more_than_its_words_is_looked_at_each_time(sentence: str, wrapped: Callable[[Jar], object]) -> None:
    jar, told = Jar(), Sentence(sentence, "a test")
    before = told.render({"it": wrapped(jar)})
    jar.spice = 3
    assert (before, told.render({"it": wrapped(jar)})) == ("0", "3")


def test_however_many_facts_a_sentence_was_told_with_it_tells_the_new_ones() -> None:
    told = Sentence("{{ number }}  of {{ number }}", "a test")
    assert {told.render({"number": number}) for number in range(MOST_KEPT * 2)} == {
        f"{number} of {number}" for number in range(MOST_KEPT * 2)
    }


def test_facts_are_escaped_in_html_and_stay_as_they_are_in_sentences() -> None:
    assert say("press.answer", faction="a <b> & c").endswith("press to a <b> & c: your words")
    assert "a &lt;b&gt; &amp; c" in as_html(Document("subject", "", [Paragraph("a <b> & c")]))


def test_all_that_is_written_for_people_is_of_the_one_environment() -> None:
    """Only one module creates a Jinja environment; a second one would be a second dialect."""
    bot = Path(wording.__file__).parents[1]
    makers = [
        path.relative_to(bot).as_posix() for path in bot.rglob("*.py") if "Environment(" in path.read_text("utf-8")
    ]
    assert makers == ["wording/__init__.py"]


def test_a_sentence_that_is_missing_names_itself() -> None:
    with pytest.raises(ResourceError, match=r"^No file below .* has the sentence 'subject\.none': restore it"):
        say("subject.none")


def test_a_sentence_that_is_not_jinja_is_named(folder: Path) -> None:
    (folder / "a.toml").write_text('[storm]\nmoved = "{{ sectors"\n', encoding="utf-8")
    with pytest.raises(ResourceError, match=r"^The sentence storm\.moved is not valid Jinja .*: correct it\.$"):
        say("storm.moved")


def test_a_file_of_sentences_that_is_not_toml_is_named(folder: Path) -> None:
    (folder / "a.toml").write_text("[storm", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"letters/a\.toml is not TOML .*: correct it\.$"):
        say("storm.moved")


@pytest.mark.parametrize("wrong", ['bare = "a"', "[storm]\nmoved = 3", '[worm]\nate = "again"'])
def test_a_sentence_that_could_not_be_found_again_is_named(folder: Path, wrong: str) -> None:
    (folder / "a.toml").write_text('[worm]\nate = "it"\n', encoding="utf-8")
    (folder / "b.toml").write_text(wrong, encoding="utf-8")
    with pytest.raises(
        ResourceError, match=r"b\.toml, '.*' must be a string, in a table of this file only: correct it\.$"
    ):
        say("worm.ate")


def test_the_sentences_of_a_table_are_known_by_their_names() -> None:
    assert phrases("time.weekday") == ["0", "1", "2", "3", "4", "5", "6"]
