"""Deal conditions: written in the sheet language, parsed into facts of the rules, and written back."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.language.compound_blanks import read_clauses, write_deal_condition
from bot.language.condition_lines import OF_ONESELF, PUBLIC_FACTS, public_condition_forms, read_deal_condition
from bot.language.facts import FACTS
from bot.language.forms import write
from bot.language.lines import Context, Misread
from bot.language.mail_lines import read_any
from bot.language.orders import Unread, read_as_written, read_line
from bot.language.sheets import SheetLine
from bot.record.dune import order_text, read_order
from bot.wording.filters import speaking
from rules.components import CARDS, FACTIONS, LEADERS
from rules.components.board import TERRITORIES
from rules.orders import Deal, Order
from rules.orders.readings import NUMBERS, DealCondition, EachOf, FactName, NotSo, OneOf, PublicFact

CONTEXT = Context("harkonnen", turn=3, phase="bidding", conditions=read_deal_condition)
_WORDS: dict[str, list[str]] = {
    "{faction}": sorted(FACTIONS), "{other}": sorted(FACTIONS), "{territory}": sorted(TERRITORIES),
    "{leader}": sorted(LEADERS), "{card}": sorted(set(CARDS) - {"Cheap Heroine"}),  # the Hero of the 2019 edition
    "{phase}": ["storm", "spice", "charity", "bidding", "revival", "movement", "battle", "collection", "mentat"],
}  # fmt: skip


def facts(name: FactName) -> st.SearchStrategy[PublicFact]:
    pattern = next(pattern for pattern, named in PUBLIC_FACTS.items() if named == name)
    blanks = [st.sampled_from(_WORDS[word]) for word in pattern.split() if word in _WORDS]
    about = st.tuples(*blanks) if name != "wall-destroyed" else st.just(())
    if name not in NUMBERS:
        return st.builds(PublicFact, st.just(name), about)
    bounds = st.integers(1, 12).flatmap(
        lambda least: st.tuples(st.just(least), st.none() | st.integers(least, least + 3))
    )
    return st.builds(lambda about, bounds: PublicFact(name, about, *bounds), about, bounds)


FACT = st.one_of([facts(name) for name in get_args(FactName)])
CONDITIONS: st.SearchStrategy[DealCondition] = st.one_of(
    FACT,
    st.builds(NotSo, FACT),
    st.builds(lambda a, b: EachOf((a, b)), FACT, st.builds(NotSo, FACT)),
    st.builds(lambda a, b, c: EachOf((a, OneOf((b, c)))), FACT, FACT, FACT),
    st.builds(lambda a, b, c: OneOf((a, EachOf((b, c)))), FACT, FACT, FACT),
    st.builds(lambda a, b: NotSo(OneOf((a, b))), FACT, FACT),
)


def read(text: str) -> DealCondition | str:
    try:
        return read_deal_condition(text, Context("harkonnen"))
    except Misread as wrong:
        return wrong.reason


def test_conditions_are_joined_denied_and_said_of_oneself() -> None:
    seven, here = PublicFact("turn", (), 7, 7), PublicFact("stands-in", ("guild", "arrakeen"))
    assert read("turn 7 or guild is in arrakeen") == OneOf((seven, here))
    assert read("turn 7 and not guild is in arrakeen") == EachOf((seven, NotSo(here)))
    assert read("i am in arrakeen") == PublicFact("stands-in", ("harkonnen", "arrakeen"))
    assert read("fighting guild") == PublicFact("fighting-with", ("harkonnen", "guild"))


@pytest.mark.parametrize("name", get_args(FactName))
@pytest.mark.parametrize("edition", ["1979", "2019"])
def test_every_fact_is_read_back_from_its_words(name: FactName, edition: str) -> None:
    @given(facts(name))
    def read_back(fact: PublicFact) -> None:
        with speaking(edition):  # type: ignore[arg-type]
            for condition in (fact, NotSo(fact)):
                assert read(write_deal_condition(condition)) == condition or _cannot_be(condition)

    read_back()


def _cannot_be(condition: DealCondition) -> bool:
    """Return True if the parser rejects the condition as impossible, such as more strongholds than exist."""
    return "can never be" in str(read(write_deal_condition(condition)))


@given(CONDITIONS)
def test_a_deal_with_terms_is_read_back_from_its_line_and_from_the_record(condition: DealCondition) -> None:
    text = read(write_deal_condition(condition))
    if isinstance(text, str):  # the condition contradicts itself
        return
    deal = Deal("guild", "peace; I mean it", 2, 0, 3, 1, condition, PublicFact("nexus"), 7)
    for order in (deal, Deal("guild", "peace", condition=condition, secret=True)):
        assert read_as_written(write(order), Context("harkonnen", conditions=read_deal_condition)) == order
        assert read_order("harkonnen", order_text("harkonnen", order, {}), "1979", {}) == order


@pytest.mark.parametrize(
    "pattern", [form.pattern for form in FACTS if form.pattern not in {*PUBLIC_FACTS, *OF_ONESELF}]
)
def test_whatever_a_sheet_alone_can_ask_is_refused_in_a_deal(pattern: str) -> None:
    words = pattern.replace("_", " ")
    example = {
        "{faction}": "guild", "{other}": "fremen", "{territory}": "arrakeen", "{leader}": "alia", "{card}": "shield",
        "{test}": "> 2", "{holding}": "shield", "{kind}": "shield", "{element}": "leader", "{asking}": "bid",
        "{why}": "voice",
    }  # fmt: skip
    for blank, word in example.items():
        words = words.replace(blank, word)
    assert isinstance(read(words), str), words


def test_the_help_lists_what_can_be_asked() -> None:
    assert len(public_condition_forms()) == len(PUBLIC_FACTS) == len(get_args(FactName))


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("deal with guild: x; I pay 3 if guild is in arrakeen", "deal with guild: x; I pay 3; if guild is in arrakeen"),
        ("deal with guild: x; escrow 3 when turn 5.", "deal with guild: x; I escrow 3; if turn 5"),
        (
            "deal with guild: x; until the end of turn 5; I will pay 2 spice",
            "deal with guild: x; I pay 2; until turn 5",
        ),
        ("private deal with guild: x", "secret deal with guild: x"),
        ("deal with guild: x; if I am in arrakeen", "deal with guild: x; if harkonnen is in arrakeen"),
    ],
)
def test_other_ways_to_write_the_same(line: str, same: str) -> None:
    assert read_any(line, CONTEXT) == read_any(same, CONTEXT)
    assert isinstance(read_any(line, CONTEXT), Order)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("deal with guild: x; I escrow a lot; if turn 5", "cannot be read here"),
        ("deal with guild: x; until turn four", "cannot be read here"),
        ("deal with guild: x; if guild had breakfast", "cannot read the condition"),
        ("deal with guild: x; if turn 5; I pay 2 if turn 6", "twice"),
        ("deal with guild: x; if turn 2", "Turn 2 is over"),
        ("deal with guild: x; if phase storm and phase bidding", "never be"),
        ("deal with guild: x; I pay 2 if my spice > 4", "cannot depend on"),
    ],
)
def test_what_cannot_be_read_says_why_and_is_nothing_for_the_sheet(line: str, why: str) -> None:
    found = read_any(line, CONTEXT)
    assert isinstance(found, Unread)
    assert why in found.reason


def test_a_misspelt_name_in_a_condition_gets_lines_that_would_be_right() -> None:
    found = read_line("deal with guild: x; I pay 2; if harkonen is in arrakeen", CONTEXT)
    assert isinstance(found, Unread)
    assert found.suggestions == ("deal with Guild: x; I pay 2; if Harkonnen is in Arrakeen",)


def test_a_deal_in_a_players_own_words_stays_as_it_is() -> None:
    for text in ("peace if you leave Carthag", "peace; and quiet", "when you ship, I ship", "no if, no but; secret"):
        assert read_any(f"deal with guild: {text}", CONTEXT) == Deal("guild", text)


def test_a_deal_has_words_of_its_own_and_clauses_may_be_empty() -> None:
    assert read_any("deal with guild: x;; I pay 3; ;", CONTEXT) == Deal("guild", "x", 3)
    for text in ("; I pay 3", "I pay 3"):
        found = read_any(f"deal with guild: {text}", CONTEXT)
        assert isinstance(found, Unread)
        assert "Write what is paid at the end, after a semicolon" in found.reason


def test_clauses_alone_have_no_words_before_them() -> None:
    assert read_clauses("; I pay 3; until turn 4", CONTEXT) == {"i_pay": 3, "until": 4}
    for text in ("peace; I pay 3", "; peace; I pay 3"):
        with pytest.raises(Misread, match="peace” cannot be read here"):
            read_clauses(text, CONTEXT)


def test_a_deal_on_a_sheet_keeps_its_own_condition() -> None:
    line = read_any("when turn 4: deal with guild: x; I pay 2; if turn 5", CONTEXT)
    assert isinstance(line, SheetLine)
    assert line.order == Deal("guild", "x", 2, condition=PublicFact("turn", (), 5, 5))


@pytest.mark.parametrize(
    ("line", "goods"),
    [
        ("you give Shield", "card"), ("I give you 3 tokens", "forces"), ("you give me your Lasgun", "card"),
        ("I lend you a leader", "leader"), ("you hand over Stilgar", "leader"), ("I pay 3 tokens", "forces"),
        ("you give your traitor", "traitor"), ("I give you my powers", "power"), ("I lend you an advantage", "power"),
        ("I lend you my dog", ""), ("I escrow a treachery card", "card"),
    ],
)  # fmt: skip
def test_what_stands_where_spice_would_is_marked(line: str, goods: str) -> None:
    found = read_any(f"deal with guild: x; {line}; I pay 2", CONTEXT)
    assert isinstance(found, Deal)
    assert found.goods == ((goods,) if goods else ())
    assert found.text == f"x; {line}"
    assert read_any(write(found), CONTEXT) == found
