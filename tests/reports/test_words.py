"""Every event and every question has its sentence, and a word that is missing is named."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from bot import resources
from bot.reports import news, questions, wording
from bot.reports.given import News
from bot.resources import ResourceError, template_source, templates_dir
from rules.components import FACTIONS
from rules.orders import PhaseName, QuestionKind
from rules.state.events import Viewer
from tests.reports.positions import games

VIEWERS: tuple[Viewer, ...] = (*FACTIONS, "public", "gm")


def test_every_event_of_random_games_has_a_sentence_for_whoever_may_see_it() -> None:
    for events, _, _ in games():
        for event in events:
            for viewer in VIEWERS:
                if event.visible_to(viewer):
                    assert news.worded(event.kind, event.facts, event.told_to(viewer)).strip(), event.kind


def test_every_question_of_random_games_says_what_is_wanted_and_what_silence_means() -> None:
    for _, asked, _ in games():
        for kind, facts, faction in asked:
            for part in ("text", "short", "silent"):
                assert questions.worded(kind, part, facts, faction, "pass")


def test_every_kind_of_question_and_every_phase_has_a_name_for_those_who_may_know_only_that() -> None:
    assert {*wording.phrases(wording.WORDS, "duty")} == {"own", *get_args(QuestionKind)}
    assert {*wording.phrases(wording.WORDS, "phase")} == {*get_args(PhaseName)}


def test_an_event_without_a_sentence_is_told_plainly() -> None:
    told = news.sentence("a-kind-from-tomorrow", {"faction": "bene-gesserit", "areas": ["red-chasm/7", "polar-sink"]})
    assert told == "A kind from tomorrow: faction Bene Gesserit; areas Red Chasm, Polar Sink."


def test_an_event_whose_facts_do_not_fit_its_sentence_is_told_plainly() -> None:
    assert news.sentence("storm-moved", {"sectors": 4}) == "Storm moved: sectors 4."


def test_the_one_who_was_told_more_reads_more() -> None:
    facts, mine = {"number": 2, "of": 3}, {"card": "Shield"}
    assert "Shield" in news.sentence("card-up", facts, mine)
    assert "Shield" not in news.sentence("card-up", facts)


def test_the_bids_on_a_card_are_one_sentence() -> None:
    bids = [
        News(2, "bidding", "card-up", {"number": 1, "of": 2}, {}),
        News(2, "bidding", "passed", {"faction": "guild", "number": 1}, {}),
        News(2, "bidding", "bid", {"faction": "fremen", "amount": 3, "number": 1}, {}),
        News(2, "bidding", "card-up", {"number": 2, "of": 2}, {}),
    ]
    (chapter,) = news.chapters(bids)
    assert chapter.sentences == ("Card 1 of 2 came up: Guild passed, Fremen bid 3.", "Card 2 of 2 came up.")


def test_news_that_begin_in_the_middle_of_the_bids_begin_with_a_whole_sentence() -> None:
    bids = [News(2, "bidding", "passed", {"faction": faction, "number": 1}, {}) for faction in ("guild", "fremen")]
    assert news.chapters(bids)[0].sentences == ("Guild passed on card 1, Fremen passed.",)


def test_news_are_told_in_their_order_under_their_turn_and_phase() -> None:
    quiet = {"sectors": 0, "start": 1, "storm": 1}
    told = news.chapters([News(turn, phase, "storm-moved", quiet, {}) for turn, phase in
                          ((1, "storm"), (1, "storm"), (1, "spice"), (2, "storm"))])  # fmt: skip
    assert [(chapter.turn, chapter.phase, len(chapter.sentences)) for chapter in told] == [
        (1, "storm", 2),
        (1, "spice", 1),
        (2, "storm", 1),
    ]


def test_every_sentence_that_ships_is_jinja() -> None:
    for folder in ("events", "prompts"):
        for kind, parts in wording.sentences(folder).items():
            for part, text in parts.items():
                wording.Sentence(text, f"{kind}.{part}")
    for table in ("subject", "heading", "wanted", "verdict", "own", "board", "form", "time"):
        for phrase in wording.phrases(wording.WORDS, table):
            wording.template(wording.WORDS, f"{table}.{phrase}")


def test_a_sentence_that_is_missing_names_itself() -> None:
    with pytest.raises(ResourceError, match=r"^The template .*words\.toml has no sentence 'subject\.none': restore it"):
        wording.say("subject.none")


def test_a_sentence_that_is_not_jinja_is_named() -> None:
    with pytest.raises(ResourceError, match=r"^The template events, storm is not right .*: mend it\.$"):
        wording.Sentence("{{ sectors", "events, storm")


def test_a_file_of_sentences_that_is_not_toml_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "templates/events").mkdir(parents=True)
    (tmp_path / "templates/events/storm.toml").write_text("[storm", encoding="utf-8")
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "bot")
    monkeypatch.setattr(resources, "_REPOSITORY", tmp_path)
    with pytest.raises(ResourceError, match=r"events/storm\.toml is not TOML .*: mend it\.$"):
        wording.sentences("events")


def test_no_template_of_a_letter_is_left_over() -> None:
    files = {path.name for path in (templates_dir() / "letters").iterdir()}
    assert files == {"page.html.j2", "words.toml", "clocks.toml", "silence.toml", "identity.toml", "undelivered.toml"}
    assert "|safe" not in template_source("letters/page.html.j2").replace(" ", "")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (wording.tokens("5"), "5 tokens"),
        (wording.tokens("1"), "1 token"),
        (wording.tokens("3+2", "fremen"), "3 tokens and 2 Fedaykin"),
        (wording.tokens("0+1"), "1 elite token"),
        (wording.plural(2, "territory"), "2 territories"),
        (wording.plural(2, "day"), "2 days"),
        (wording.listed(["a", "b", "c"]), "a, b and c"),
        (wording.listed([]), ""),
        (wording.name("imperial-basin/9"), "Imperial Basin/9"),
        (wording.name("nowhere/9"), "nowhere/9"),
        (wording.strength("Feyd-Rautha"), 6),
        (wording.strength("Nobody"), ""),
    ],
)
def test_names_and_numbers_in_sentences(written: str | int, said: str | int) -> None:
    assert written == said
