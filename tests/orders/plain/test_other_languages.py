"""Tests for German, French and Spanish: each word table's examples, and lines that must not be accepted."""

from __future__ import annotations

import pytest

from bot.language.lines import tidy
from bot.language.mail_lines import read_any
from bot.language.orders import read_as_written
from bot.language.translation import LANGUAGES, into_english, language
from bot.language.vocabulary import cut_line, vocabulary
from rules.components import Faction
from rules.components.facts import load_toml
from rules.orders import Order
from tests.orders.plain.judging import context, read

PLACES: dict[str, tuple[str, Faction]] = {
    "bid": ("bidding", "harkonnen"), "shipment": ("shipment", "harkonnen"), "movement": ("movement", "atreides"),
    "charity": ("charity", "harkonnen"), "revival": ("revival", "emperor"), "nexus": ("nexus", "emperor"),
    "voice": ("voice", "bene-gesserit"), "transfer": ("collection", "emperor"),
    "storm-dial": ("storm-dial", "harkonnen"), "truthtrance-answer": ("truthtrance-answer", "harkonnen"),
    "karama-window": ("karama-window", "emperor"),
}  # fmt: skip

EXAMPLES = [
    (code, kind, said, meant)
    for code in LANGUAGES
    for kind, examples in load_toml(f"words/{code}.toml")["examples"].items()
    for said, meant in examples.items()
]


@pytest.mark.parametrize(("code", "kind", "said", "meant"), EXAMPLES)
def test_each_example_means_its_line(code: str, kind: str, said: str, meant: str) -> None:
    assert read(*PLACES[kind], said) in (f"taken {meant}", f"proposed {meant}")


@pytest.mark.parametrize(("code", "kind", "said", "meant"), EXAMPLES)
def test_an_example_is_read_as_its_line_is_in_english(code: str, kind: str, said: str, meant: str) -> None:
    assert read_as_written(meant, context(*PLACES[kind]))
    words = cut_line(tidy(said))
    assert words
    translated = into_english(words)
    known = vocabulary().known
    assert translated is None or translated.foreign
    assert translated or all(word.text in known or word.number is not None for word in words.words)


@pytest.mark.parametrize("line", [
    "vielleicht 5", "wenn der Kaiser passt, biete ich 3", "soll ich 3 bieten?", "ich biete nicht 5", "biete 3 oder 4",
    "ich hätte 5 geboten", "Kaiser bietet 5", "morgen biete ich 5", "5 Minuten bitte", "ich weiß nicht",
    "keine Ahnung", "Nein, ich passe nicht", "je ne passe pas", "je ne sais pas", "peut-être 4", "no paso", "no sé",
    "quizás 4", "si pasa el emperador, ofrezco 3", "schönes Wochenende", "Je passe ?", "noch nicht", "pas encore",
    "the son of a gun", "die hard", "on the dot",
])  # fmt: skip
def test_doubt_and_talk_in_other_languages_are_not_taken(line: str) -> None:
    for place in PLACES.values():
        assert not isinstance(read_any(line, context(*place)), Order), place


@pytest.mark.parametrize(("said", "meant"), [
    ("fünf", "bid 5"), ("fuenf", "bid 5"), ("Ich biete fuenf Gewuerz", "bid 5"), ("J’enchéris à trois", "bid 3"),
    ("SIETE", "bid 7"), ("je mise 2 épices svp", "bid 2"), ("ofrezco 3 por favor", "bid 3"), ("nö", "pass"),
    ("je n'enchéris pas", "pass"), ("ohne mich, danke", "pass"), ("Paso esta vez", "pass"),
])  # fmt: skip
def test_accents_case_and_apostrophes_make_no_difference(said: str, meant: str) -> None:
    assert read("bidding", "harkonnen", said) == f"taken {meant}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_word_of_another_language_stands_for_words_that_the_reader_knows(code: str) -> None:
    plain = vocabulary()
    strange = set()
    for known in language(code).phrases.values():
        for _, english in known:
            strange |= {word for word in english if word not in plain.known and word not in plain.numbers}
    keywords = {word for entry in plain.orders for group in entry.words for phrase in group for word in phrase}
    beside = {word for entry in plain.orders for phrase in entry.beside for word in phrase}
    names = {"shield", "snooper", "lasgun", "cheap", "hero", "wall", "guild", "bene", "gesserit", "projectile"}
    assert strange <= keywords | beside | names | {"know", "least", "days", "hours", "minutes", "bids"}
