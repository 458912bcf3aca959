from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.language.condition_lines import condition_forms
from bot.language.conditions import (
    Comparison,
    Condition,
    Fact,
    all_of,
    alternatives,
    any_of,
    can_be,
    may_still_come,
    negation,
    write_condition,
)
from bot.language.facts import FACTS, PARTS, QUESTION_NAMES, SORTS, WHY_NAMES, Measure
from bot.language.lines import LONGEST, Context
from bot.language.mail_lines import read_any, read_lines
from bot.language.orders import Unread
from bot.language.sheets import AskMe, SheetLine, last_turn, read_sheet_line, write_sheet_line
from rules import orders as o
from rules.components import CARDS, FACTIONS, LEADERS, Card, Forces
from rules.components.board import TERRITORIES
from rules.engine.catalogue import load_rule_set
from rules.orders import Order, PhaseName

GUILD = Context("guild", hand=(Card("Lasgun"), Card("Karama")), turn=5, phase="bidding")
ATREIDES = Context("atreides", turn=5, phase="bidding")
FREMEN = Context("fremen", turn=5, phase="bidding")


def read(text: str, context: Context = GUILD) -> SheetLine:
    line = read_sheet_line(text, context)
    assert isinstance(line, SheetLine), line
    return line


def refused(text: str, context: Context = GUILD) -> Unread:
    line = read_sheet_line(text, context)
    assert isinstance(line, Unread), line
    return line


@pytest.mark.parametrize(("text", "canonical"), [
    ("bid 5 if card 2 and price < 5", "when card 2 and price < 5: bid 5"),
    ("if card number is 2, bid 5", "when card 2: bid 5"),
    ("when price is at least 3: pass", "when price >= 3: pass"),
    ("pass if the bid is over 4", "when price > 4: pass"),
    ("pass if price is 3 or more", "when price >= 3: pass"),
    ("pass if price is between 3 and 6 and card 1", "when price between 3 and 6 and card 1: pass"),
    ("Standing order: charity.", "standing: charity"),
    ("always: pass all", "standing: pass all"),
    ("standing: bid up to 6 by 2 if I have bought no cards and cards left > 1",
     "standing: when Guild has not bought a card and cards left > 1: bid up to 6 by 2"),
    ("standing: when turn 6 or turn 8: pass twice", "standing: when turn 6 or turn 8: pass twice"),
    ("pass unless i hold a weapon", "when Guild does not hold weapon: pass"),
    ("go now if after har", "when after Harkonnen: go now"),
    ("wait unless fre shipped to arr or fre shipped to carthag",
     "when not (Fremen has shipped to Arrakeen or Fremen has shipped to Carthag): wait"),
    ("ask me if emperor has shipped 5 or more to IB", "when Emperor has shipped >= 5 to Imperial Basin: ask me"),
    ("when window voice against me: karama cancel voice", "when window voice against Guild: karama cancel voice"),
    ("plan dial 3 leader none if fighting emp and not voiced",
     "when fighting Emperor and not voiced: plan dial 3 leader none"),
    ("ship 3 to carthag if carthag is empty and tokens of emperor in hole in the rock at most 2",
     "when Carthag is empty and tokens of Emperor in Hole in the Rock <= 2: ship 3 to Carthag"),
    ("when not (guild has passed and turn 6) or price = 3: truthtrance emperor: do you hold Lasgun?",
     "when not (Guild has passed and turn 6) or price 3: truthtrance Emperor: do you hold Lasgun?"),
    ("bid 5 twice", "bid 5 twice"),
    ("bid 3 if price < 3, 4 times", "when price < 3: bid 3 4 times"),
    ("karama cancel voice once", "karama cancel voice once"),
    ("ally emperor if the emperor is not allied", "when Emperor is not allied: ally Emperor"),
    ("karama half shipping if spice < 4", "when spice < 4: karama half shipping"),
    ("move 3 from carthag to arrakeen if (the emperor moved or the emperor shipped) and turn >= 6",
     "when (Emperor has moved or Emperor has shipped) and turn >= 6: move 3 from Carthag to Arrakeen"),
    ("revive Staban Tuek if staban tuek is dead", "when Staban Tuek is dead: revive Staban Tuek"),
    ("plan dial 3 leader none if question is prescience answer",
     "when question prescience answer: plan dial 3 leader none"),
    ("accept if offer from emperor and offer gives at least 3 spice and offer costs 0 spice",
     "when offer from Emperor and offer gives >= 3 spice and offer costs 0 spice: accept"),
    ("no transfer if question 2 or more", "when question number >= 2: no transfer"),
    ("go now if waiting for shipment of emperor", "when waiting for shipment of Emperor: go now"),
    ("ask me if not window voice and question reaction", "when not window voice and question reaction: ask me"),
    ("when turn 6, bid 5 if price < 3", "when turn 6 and price < 3: bid 5"),
])  # fmt: skip
def test_lines_of_the_sheet_and_their_canonical_words(text: str, canonical: str) -> None:
    line = read(text)
    assert write_sheet_line(line) == canonical
    assert read(canonical) == line


@pytest.mark.parametrize("text", [
    "bid 5", "waive reactions until battle", "truthtrance emperor: will you ally with me if I pass?",
    "deal with emperor: peace if you want it; I pay 3", "press to all: if you bid, I bid", "status",
    "Hello Mentat,", "if you want, we can ally", "Once upon a time, there was a desert", "standing by", "",
    "when in doubt", "# when turn 3: pass",
])  # fmt: skip
def test_orders_commands_and_talk_are_no_lines_for_the_sheet(text: str) -> None:
    assert read_sheet_line(text, GUILD) is None


def test_what_a_line_says_besides_its_order() -> None:
    assert read("standing: charity") == SheetLine(o.Charity(), standing=True)
    assert isinstance(read("standing: ask me").order, AskMe)
    assert read("bid 5 if turn >= 14").turns == (14, 15)
    assert read("bid 5 if turn 7 or turn 6 and price < 3").turns == (6, 7)
    assert read("bid 5 if price < 3").turns == ()
    assert [read(f"bid 5 if price < 3{tail}").times for tail in ("", " once", " twice", " 5 times")] == [-1, 1, 2, 5]
    assert read("karama cancel voice if fighting emperor").times == 1


@pytest.mark.clause("AH.XIII.A-a")
@pytest.mark.parametrize(("text", "words"), [
    ("bid 5 if emperor holds lasgun", "Nobody but Emperor"), ("bid 5 if emperor has 12 spice", "how much spice"),
    ("bid 5 if spice of emperor > 3", "how much spice"), ("pass if reserves of fremen < 3", "in reserve"),
    ("bid 7 if card is lasgun", "Nobody but Atreides"), ("pass if next storm 3", "Nobody but the Fremen"),
    ("pass if emperor has bought a lasgun", "only they know"), ("treachery if feyd is traitor of emperor", "pay"),
    ("pass if bg predicted emperor", "predicted"), ("plan dial 1 leader none if emperor plays a shield", "revealed"),
    ("treachery if staban tuek is my traitor", "your own"), ("pass if arrakeen is destroyed", "Shield Wall"),
])  # fmt: skip
def test_what_a_player_cannot_know_is_refused_with_the_reason(text: str, words: str) -> None:
    assert words in refused(text).reason


def test_those_who_may_know_it_may_ask_for_it() -> None:
    assert write_sheet_line(read("bid 7 if card is a lasgun", ATREIDES)) == "when card is Lasgun: bid 7"
    assert write_sheet_line(read("no storm cards if next storm > 4", FREMEN)) == "when next storm > 4: no storm cards"
    assert write_sheet_line(read("pass if i have 3 spice")) == "when spice of Guild = 3: pass"


@pytest.mark.parametrize(("text", "words"), [
    ("bid 5 if turn 7 and turn 8", "can never be"), ("bid 5 if price > 5 and price < 3", "can never be"),
    ("bid 5 if turn 16", "can never be"), ("bid 5 if phase storm and phase battle", "can never be"),
    ("bid 5 if emperor has bid and emperor has not bid", "can never be"), ("bid 5 if price < 0", "can never be"),
    ("when fighting emperor and fighting fremen: no voice", "can never be"), ("pass if storm > 18", "can never be"),
    ("when turn 6: pass if turn 7", "can never be"),
    ("when turn 2: bid 5", "Turn 2 is over"), ("when turn 5 and phase storm: pass", "has already reached bidding"),
])  # fmt: skip
def test_what_can_never_be_and_what_is_over_is_refused(text: str, words: str) -> None:
    assert words in refused(text).reason


def test_a_line_that_stands_may_wait_for_an_earlier_phase() -> None:
    assert read("standing: karama half shipping if phase storm").standing
    assert read("when turn 6 and phase storm: weather control 3").turns == (6,)


@pytest.mark.parametrize(("text", "suggestion"), [
    ("bid 5 if emperr has passed", "when Emperor has passed: bid 5"),
    ("bid 5 if emperor has pased", "when Emperor has passed: bid 5"),
    ("bid 5 if prise < 3", "when price < 3: bid 5"),
    ("bdi 5 if price < 3", "when price < 3: bid 5"),
    ("bid 5 if lasgun in discard", "when Lasgun is discarded: bid 5"),
    ("standing: pas all", "standing: pass all"),
    ("pass unless carthagg is empty", "when Carthag is occupied: pass"),
])  # fmt: skip
def test_what_is_nearly_a_line_gets_lines_that_can_be_sent(text: str, suggestion: str) -> None:
    read_it = refused(text)
    assert suggestion in read_it.suggestions
    assert all(write_sheet_line(read(line)) == line for line in read_it.suggestions)


@pytest.mark.parametrize(("text", "words"), [
    ("when foo bar: bid 5", "help when"), ("status if turn 6", "about the mail"), ("bid 5 0 times", "once, twice"),
    ("bid 2 if a card is up", "card is CARD"), ("bid 5 if guild holds", "FACTION holds CARD"),
    ("pass if " + " or ".join(["price < 3"] * 17), "at most 16"),
])  # fmt: skip
def test_the_reason_says_what_would_be_right(text: str, words: str) -> None:
    assert words in refused(text).reason


@pytest.mark.parametrize(("text", "turns"), [
    ("pass if turn 7", (7,)), ("pass if turn 6 or turn 7 or turn 9", (6, 7, 9)),
    ("pass if turn 7 or turn 6 and price < 3 and price > 5", (7,)),
    ("pass if turn 6 and price < 3 and price > 5 or turn 7", (7,)),
    ("pass if turn 7 and price < 3", (7,)), ("pass if price < 3 or turn 7", ()), ("pass if price < 3", ()),
])  # fmt: skip
def test_a_line_is_for_the_turns_in_which_its_condition_can_come_true(text: str, turns: tuple[int, ...]) -> None:
    assert read(text).turns == turns


@pytest.mark.parametrize("text", [
    "pass if turn 6 and turn 7", "pass if emperor has passed and not emperor has passed",
    "pass if turn 7 and price < 3 and price > 5", "pass if card is lasgun and card is shield",
])  # fmt: skip
def test_a_condition_that_can_never_come_true_is_refused(text: str) -> None:
    assert "never" in refused(text, ATREIDES).reason


def test_facts_that_differ_in_whom_they_are_about_can_be_true_together() -> None:
    assert read("pass if emperor has passed and not harkonnen has passed").turns == ()
    assert read("pass if emperor has passed and harkonnen has passed").turns == ()
    assert read("pass if not card is lasgun and not card is shield", ATREIDES).turns == ()


@pytest.mark.parametrize(("text", "last"), [("pass if turn 2 or turn 3", 3), ("pass if turn 4 and price < 3", 4)])
def test_a_condition_of_turns_that_are_over_is_refused_with_the_last_of_them(text: str, last: int) -> None:
    assert f"turn {last}" in refused(text).reason.lower()


def test_a_faction_that_is_not_played_cannot_be_asked_for() -> None:
    few = Context("guild", frozenset({"guild", "emperor"}))
    assert "not played" in refused("pass if fremen has passed", few).reason


def test_a_mail_may_mix_orders_and_lines_for_the_sheet() -> None:
    lines = read_lines(["Hello Mentat,", "bid 4", "bid 6 if card 2", "standing: charity"], GUILD)
    kinds = [type(line.result) for line in lines]
    assert kinds == [Unread, o.Bid, SheetLine, SheetLine]


# --- every condition can be written and read back ---------------------------------------------------------------------

_VALUES: dict[str, st.SearchStrategy[object]] = {
    "faction": st.sampled_from(FACTIONS), "other": st.sampled_from(FACTIONS),
    "territory": st.sampled_from(sorted(TERRITORIES)), "leader": st.sampled_from(sorted(LEADERS)),
    "phase": st.sampled_from(["storm", "spice", "bidding", "battle"]), "card": st.sampled_from(sorted(CARDS)),
    "holding": st.sampled_from([*sorted(CARDS), *SORTS]), "element": st.sampled_from(get_args(o.Element)),
    "kind": st.sampled_from(get_args(o.VoiceKind)), "why": st.sampled_from(WHY_NAMES.values),
    "asking": st.sampled_from(QUESTION_NAMES.values),
}  # fmt: skip
_numbers = st.integers(0, 40)
tests = st.builds(Measure, st.sampled_from(["=", "<", ">", "<=", ">="]), _numbers) | st.builds(
    lambda one, more: Measure("between", one, one + more), _numbers, _numbers
)


@st.composite
def facts(draw: st.DrawFn) -> Condition:
    number = draw(st.integers(0, len(FACTS) - 1))
    form = FACTS[number]
    args = tuple(draw(_VALUES[blank]) for blank in form.blanks)
    if "{test}" in form.pattern:
        return Comparison(number, args, draw(tests))
    return Fact(number, args)


def _askable(condition: Condition) -> bool:
    """Return True if the condition is possible and a Guild player may use it."""
    cases = alternatives(condition, 16) or []
    facts = [fact for case in cases for fact, _ in case]
    forbidden = [fact for fact in facts if fact.form.why_not and fact.form.why_not(Context("guild"), *fact.args)]
    return any(map(can_be, cases)) and not forbidden


conditions = st.recursive(
    facts(),
    lambda parts: st.builds(all_of, parts, parts) | st.builds(any_of, parts, parts) | st.builds(negation, parts),
    max_leaves=5,
).filter(_askable)
ordinary: st.SearchStrategy[Order] = st.sampled_from(
    [o.Bid(5), o.Pass(), o.BidUpTo(9, 2), o.Lose(Forces(3, 1)), o.Karama("cancel voice"), o.NoKarama()]
)


@given(conditions, ordinary | st.just(AskMe()), st.booleans(), st.sampled_from([1, 2, 7]))
def test_every_line_is_read_back_from_its_canonical_words(
    condition: Condition, order: Order | AskMe, standing: bool, times: int
) -> None:
    text = write_sheet_line(SheetLine(order, condition, standing, (), times))
    line = read_sheet_line(text, Context("guild"))
    assert isinstance(line, SheetLine), (text, line)
    assert (line.order, line.condition, line.standing, line.times) == (order, condition, standing, times)
    assert write_sheet_line(line) == text


@pytest.mark.parametrize("number", range(len(FACTS)), ids=lambda number: FACTS[number].pattern)
def test_every_way_to_write_a_fact_means_the_fact_that_it_belongs_to(number: int) -> None:
    form = FACTS[number]
    examples = {
        "faction": "guild", "other": "emperor", "territory": "hole in the rock", "leader": "Stilgar", "phase": "battle",
        "card": "Lasgun", "holding": "Lasgun", "element": "weapon", "kind": "shield", "why": "voice", "test": ">= 2",
        "asking": "prescience answer",
    }  # fmt: skip
    if "predicted" in form.pattern or "plays" in form.pattern:
        return
    asker = {"next storm": "fremen", "card is": "atreides"}
    who = next((faction for words, faction in asker.items() if form.pattern.startswith(words)), "guild")
    for patterns, so in (((form.pattern, *form.also), True), (form.denied, False)):
        for pattern in patterns:
            if form.pattern == "{territory} is destroyed":
                pattern = pattern.replace("{territory}", "shield wall")
            words = " ".join(
                examples[word[1:-1]] if word[0] == "{" else word.replace("_", " ") for word in pattern.split()
            )
            line = read_sheet_line(f"pass if {_as_spoken(words)}", Context(who))  # a faction
            assert isinstance(line, SheetLine), (words, line)
            condition = line.condition if so else negation(line.condition)  # type: ignore[arg-type]  # it has one
            assert isinstance(condition, Fact | Comparison), words
            assert condition.number == number, (words, write_condition(condition))


def _as_spoken(words: str) -> str:
    """Replace words of the table that cover several spellings with one of them."""
    spoken = {"the bid": "bid", "tokens in the tanks": "in the tanks"}
    for written, said in spoken.items():
        words = words.replace(written, said)
    return words


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("when card 2 bid 5", "when card 2: bid 5"),
        ("if card 2 and price < 4 pass", "when card 2 and price < 4: pass"),
        ("unless card 2 pass all", "when not card 2: pass all"),
    ],
)
def test_a_missing_colon_is_proposed_and_never_guessed(text: str, meant: str) -> None:
    read = read_sheet_line(text, Context("guild", frozenset(FACTIONS)))
    assert isinstance(read, Unread)
    assert read.suggestions == (meant,)


def test_help_lists_everything_that_can_be_asked() -> None:
    listed = [form.with_placeholders() for form in FACTS if form.listed]
    assert condition_forms() == listed
    assert len(set(listed)) == len(listed) == len(FACTS) - 3
    assert all(word[1:-1] in PARTS for form in FACTS for word in form.pattern.split() if word[0] == "{")


_FRAGMENTS = [
    "if", "when", "unless", "standing", ":", ",", "bid", "5", "pass", "ask me", "and", "or", "not", "(", ")", "<", "is",
    "price", "turn", "emperor", "carthag", "has", "passed", "holds", "lasgun", "fighting", "voiced", "twice",
    "at least",
]  # fmt: skip


@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=10).map(" ".join))
def test_no_mixture_of_the_words_makes_the_reader_fail(text: str) -> None:
    result = read_any(text, GUILD)
    if isinstance(result, Unread):
        for suggestion in result.suggestions:
            assert not isinstance(read_any(suggestion, GUILD), Unread), suggestion
    elif isinstance(result, SheetLine):
        assert read_sheet_line(write_sheet_line(result), GUILD) == result


def test_two_conditions_of_a_line_ask_for_sixteen_facts_together_at_most() -> None:
    def line(*counts: int) -> str:
        prices, storms = (range(1, count + 1) for count in counts)
        either = " or ".join(f"price {number}" for number in prices)
        return f"when {either}: pass if {' or '.join(f'storm {number}' for number in storms)}"

    assert read(line(8, 8)).condition is not None
    assert "it can ask about at most 16 facts" in refused(line(8, 9)).reason


def test_a_long_condition_is_not_searched_for_the_word_that_is_misspelt() -> None:
    asked = "price > 3 and storm 3 and top bidder Emperor and not card 2 and nexus"
    assert len(asked.split()) == 16
    misspelt = f"bid 5 if {asked.replace('price', 'pricee')}"
    assert refused(misspelt).suggestions == (f"when {asked}: bid 5",)
    longer = refused(misspelt.replace("nexus", "not nexus"))
    assert longer.suggestions == ()
    assert "I cannot read the condition" in longer.reason


def test_how_often_a_line_counts_may_stand_behind_its_condition_only() -> None:
    assert read("bid 5 if price < 3 twice").times == 2
    assert refused("bid 5 if price < 3 0 times") == refused("bid 5 0 times")
    assert refused("bid 5 if prise < 3 twice").suggestions == ("when price < 3: bid 5 twice",)
    assert "“hand N”" in refused("bid 5 if hand twice").reason


def test_how_often_is_no_part_of_the_card_that_a_condition_names() -> None:
    assert refused("bid 5 if emperor holds lasgun twice") == refused("bid 5 if emperor holds lasgun")
    assert read("bid 5 if I hold lasgun twice") == read("when I hold lasgun: bid 5 twice")


@pytest.mark.parametrize(
    ("phase", "last"), [("over", 5), ("setup", 5), ("storm", 5), ("bidding", 5), ("revival", 6), ("mentat", 6)]
)
def test_a_line_for_one_phase_counts_until_that_phase_has_gone_by(phase: PhaseName, last: int) -> None:
    bidding, any_phase, turn = read("bid 5 if price < 3"), read("ask me if price < 3"), read("bid 5 if turn 7")
    rules = load_rule_set("wbc-2018")
    assert last_turn(bidding, rules, 5, phase) == last
    assert last_turn(any_phase, rules, 5, phase) == 5
    assert last_turn(turn, rules, 5, phase) == 7


@pytest.mark.parametrize(
    ("condition", "turn", "phase", "comes"),
    [
        ("turn 4 and phase bidding", 4, "spice", True), ("turn 4 and phase bidding", 4, "bidding", True),
        ("turn 4 and phase bidding", 4, "revival", False), ("turn 5 and phase bidding", 4, "revival", True),
        ("turn 4 and not phase bidding", 4, "revival", True), ("turn 4", 4, "mentat", True), ("turn 4", 4, None, True),
        ("turn 4 and phase bidding", 4, None, True), ("turn 3", 4, None, False), ("turn 3", 4, "storm", False),
        ("turn 5 and phase storm", 4, None, True),
    ],
)  # fmt: skip
def test_a_condition_may_still_come_in_this_phase_and_in_those_behind_it(
    condition: str, turn: int, phase: PhaseName | None, comes: bool
) -> None:
    line = read(f"bid 3 if {condition}", Context("guild"))
    assert line.condition is not None
    cases = alternatives(line.condition, 8)
    assert cases is not None
    assert [may_still_come(case, turn, phase) for case in cases] == [comes]


def test_a_line_of_the_sheet_is_as_long_as_is_read_and_no_longer() -> None:
    line = "bid 3 if price < 3"
    assert read(line.ljust(LONGEST)) == read(line)
    assert read_sheet_line(line.ljust(LONGEST + 1), GUILD) is None
