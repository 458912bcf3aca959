"""Tests that a game's letters use its edition's words, and leave the players' own words unchanged."""

import pytest

from bot.render.news import event_sentence
from bot.wording import say, sources
from bot.wording.filters import name, speaking, tokens
from rules.components.terms import EDITIONS, in_words_of, name_of, order_in_words_of, orders_of
from rules.engine.catalogue import load_rule_set
from rules.rulesets.rulebook import Refusal


def test_the_2019_edition_has_forces_and_its_own_names() -> None:
    facts = {"faction": "emperor", "forces": "3+2", "territory": "habbanya-ridge-sietch"}
    assert event_sentence("tokens-lost", facts) == "Emperor lost 3 tokens and 2 Sardaukar in Habbanya Ridge Sietch."
    with speaking("2019"):
        assert event_sentence("tokens-lost", facts) == "Emperor lost 3 forces and 2 Sardaukar in Habbanya Sietch."
    assert event_sentence("tokens-lost", facts) == "Emperor lost 3 tokens and 2 Sardaukar in Habbanya Ridge Sietch."


def test_leaders_and_cards_are_called_as_they_are_printed() -> None:
    with speaking("2019"):
        assert [name("Wanna Marcus"), name("Cheap Heroine"), name("Stilgar")] == ["Wanna Yueh", "Cheap Hero", "Stilgar"]
        assert tokens("1") == "1 force"
    assert name("Wanna Marcus") == "Wanna Marcus"


def test_a_refusal_speaks_the_words_of_the_rule_set() -> None:
    refusal = Refusal("Only one starred token may come back in a turn.", "revival.starred")
    assert refusal.cited(load_rule_set("wbc-2018")).reason == refusal.reason
    assert "one special force may" in refusal.cited(load_rule_set("gf9-advanced")).reason


def test_offered_orders_begin_as_the_edition_says() -> None:
    assert order_in_words_of("2019", "coexist in Carthag") == "advisors in Carthag"
    assert order_in_words_of("2019", "fight in Carthag") == "fighters in Carthag"
    assert order_in_words_of("2019", "bid 3") == "bid 3"
    assert order_in_words_of("1979", "coexist in Carthag") == "coexist in Carthag"


def test_each_edition_says_how_its_orders_begin_where_that_is_its_own_way() -> None:
    assert orders_of("2019") == {"coexist in": "advisors in", "fight in": "fighters in"}
    assert orders_of("1979") == {}


def test_an_order_line_has_the_printed_names_and_an_order_after_a_condition_its_words() -> None:
    assert order_in_words_of("2019", "traitor Piter DeVries") == "traitor Piter de Vries"
    assert order_in_words_of("2019", "when card 2: coexist in Carthag") == "when card 2: advisors in Carthag"
    assert order_in_words_of("2019", "press to all: Wanna Marcus is yours") == "press to all: Wanna Marcus is yours"


def test_prompts_have_the_printed_names_and_the_words_of_the_edition() -> None:
    drawn = {"drawn": ["Wanna Marcus"], "eligible": ["Wanna Marcus"], "keeps_all": False, "own": False}
    asked = {"tanks": "5", "spice": 3, "what": "tokens", "most": 3, "free": 1, "helper": "", "helped": 0, "half": False}
    asked |= {"one_starred": True, "price": 2, "starred_price": 2}
    helped = {"buyer": "harkonnen", "purpose": "revival", "spice": 4}
    with speaking("2019"):
        assert "Wanna Yueh" in say("question.traitor.text", **drawn)
        assert "Wanna Marcus" not in say("question.traitor.text", **drawn)
        assert "one special force: 1 free" in say("question.revival.text", faction="emperor", leaders=[], **asked)
        assert "revives forces" in say("question.ally-support.ask", faction="emperor", **helped)
        assert say("duty.intrusion") == "advisors or fighters"


def test_a_word_that_begins_a_sentence_keeps_its_capital() -> None:
    assert in_words_of("2019", "Tokens fight; tokens die.") == "Forces fight; forces die."
    assert in_words_of("2019", "a betokening word") == "a betokening word"


def test_what_is_said_ends_with_the_letter() -> None:
    with pytest.raises(KeyError), speaking("2019"):
        raise KeyError
    assert tokens("2") == "2 tokens"


def test_what_an_edition_says_in_its_own_way_is_said_at_all() -> None:
    own = [key for key in sources() if key.partition(".")[0] in EDITIONS]
    assert [key for key in own if key.partition(".")[2] not in sources()] == []


def test_an_unknown_name_is_itself() -> None:
    assert name_of("2019", "Nobody") == "Nobody"
    assert say("own.none")
