"""Tests that every order can be written, and that the text is read back as the same order for everybody."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.language.forms import FORMS
from bot.language.orders import Context, Unread, help_for, read_line, write
from bot.language.truthtrance import with_reading
from rules import orders as o
from rules.components import CARDS, CHEAP_HERO_CARD, FACTION_FACTS, LEADERS, Forces
from rules.components.board import AREAS, TERRITORIES
from rules.components.factions import TECH_TOKENS
from rules.orders import AnyOrder, Order
from rules.orders.readings import Act, Amount, Condition, Fact, Occasion, Reading

factions = st.sampled_from(sorted(FACTION_FACTS))
leaders = st.sampled_from(sorted(LEADERS))
cards = st.sampled_from(sorted(CARDS))
areas = st.sampled_from(AREAS)
territories = st.sampled_from(sorted(TERRITORIES))
numbers = st.integers(0, 99)
forces = st.builds(Forces, st.integers(0, 20), st.integers(0, 5))
letters = st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0xFF, exclude_characters="µ")
words = st.text(letters, min_size=1, max_size=8)
texts = st.lists(words, min_size=1, max_size=8).map(lambda parts: f"{' '.join(parts)}, so?")
hands = st.lists(cards, max_size=4).map(tuple)
contexts = st.builds(Context, factions, hand=hands, leaders=st.lists(leaders, max_size=5).map(tuple))

moves = st.builds(o.Move, forces, areas, areas, st.lists(territories, max_size=3).map(tuple))
plain_karamas = [effect for effect in get_args(o.KaramaEffect) if effect not in ("worm", "revive", "see plan",
                                                            "take cards", "hms", "cancel ghola",
                                                            "stop revival")]  # fmt: skip
ORDERS: dict[type[Order], st.SearchStrategy[Order]] = {
    o.Predict: st.builds(o.Predict, factions, numbers),
    o.ChooseTraitor: st.builds(o.ChooseTraitor, leaders),
    o.Place: st.builds(o.Place, st.lists(st.tuples(forces, areas), min_size=1, max_size=4).map(tuple)),
    o.StormDial: st.builds(o.StormDial, numbers),
    o.WeatherControl: st.builds(o.WeatherControl, numbers),
    o.PlaceWorm: st.builds(o.PlaceWorm, territories),
    o.Ride: st.builds(o.Ride, forces, areas, areas),
    o.Ally: st.builds(o.Ally, factions),
    o.Bid: st.builds(o.Bid, numbers, st.booleans()),
    o.BidUpTo: st.builds(o.BidUpTo, numbers, numbers, numbers),
    o.Support: st.builds(o.Support, numbers),
    o.Revive: st.builds(o.Revive, forces),
    o.ReviveLeader: st.builds(o.ReviveLeader, leaders),
    o.Fight: st.builds(o.Fight, territories),
    o.Coexist: st.builds(o.Coexist, territories),
    o.Ship: st.builds(o.Ship, forces, st.none(), areas) | st.builds(o.Ship, forces, areas, areas | st.none()),
    o.Advise: st.builds(o.Advise, areas),
    o.Move: moves,
    o.Hajr: st.builds(o.Hajr, moves),
    o.ChooseBattle: st.builds(o.ChooseBattle, factions, territories),
    o.Voice: st.builds(o.Voice, factions, st.sampled_from(get_args(o.VoiceKind)), st.booleans()),
    o.Prescience: st.builds(o.Prescience, st.sampled_from(get_args(o.Element))),
    o.Plan: st.builds(
        o.Plan,
        st.integers(0, 80).map(lambda halves: halves / 2),
        st.none() | st.just(o.CHEAP_HERO) | leaders,
        st.none() | cards,
        st.none() | cards,
        numbers,
        st.booleans(),
    ),
    o.FremenSupport: st.builds(o.FremenSupport, st.booleans()),
    o.TakeToken: st.builds(o.TakeToken, st.sampled_from(sorted(TECH_TOKENS))),
    o.PlayOn: st.builds(o.PlayOn, st.none() | numbers),
    o.Lose: st.builds(o.Lose, forces),
    o.Keep: st.builds(o.Keep, hands),
    o.Discard: st.builds(o.Discard, hands),
    o.RaiseLimits: st.builds(o.RaiseLimits, st.lists(factions, unique=True).map(tuple))
    | st.just(o.RaiseLimits(everybody=True)),
    o.AskForLeader: st.builds(o.AskForLeader, leaders) | st.just(o.AskForLeader(kwisatz_haderach=True)),
    o.NamePrice: st.builds(o.NamePrice, numbers, leaders) | st.builds(o.NamePrice, numbers, st.none(), st.just(True)),
    o.NoPrice: st.builds(o.NoPrice, st.none() | leaders) | st.just(o.NoPrice(kwisatz_haderach=True)),
    o.Replace: st.builds(
        o.Replace, st.lists(st.tuples(forces, st.none() | areas), min_size=1, max_size=3).map(tuple), st.none() | areas
    )
    | st.just(o.Replace()),
    o.SwapDancer: st.builds(o.SwapDancer, leaders | st.just(CHEAP_HERO_CARD)),
    o.Capture: st.builds(o.Capture, st.sampled_from(["keep", "kill", "none"])),
    o.ReturnCards: st.builds(o.ReturnCards, hands),
    o.Give: st.builds(o.Give, numbers, factions),
    o.Answer: st.builds(o.Answer, st.sampled_from(["yes", "no", "unknown"])),
    o.Karama: st.builds(o.Karama, st.sampled_from(plain_karamas), card=st.none() | cards)
    | st.builds(lambda robbed, card: o.Karama("cancel worm", faction=robbed, card=card), factions, st.none() | cards)
    | st.builds(
        lambda shipper, card: o.Karama("half shipping", faction=shipper, card=card), factions, st.none() | cards
    )
    | st.builds(lambda leader: o.Karama("cancel ghola", leader=leader), leaders)
    | st.builds(
        lambda faction, effect: o.Karama(effect, faction=faction),
        factions,
        st.sampled_from(["stop revival", "cancel half price", "cancel revival payment"]),
    )
    | st.builds(lambda territory: o.Karama("worm", territory=territory), territories)
    | st.builds(lambda area, via: o.Karama("hms", area=area, via=via), areas, st.lists(areas, max_size=2).map(tuple))
    | st.builds(lambda revived: o.Karama("revive", forces=revived), forces)
    | st.builds(lambda leader, card: o.Karama("revive", leader=leader, card=card), leaders, st.none() | cards)
    | st.builds(lambda faction: o.Karama("see plan", faction=faction), factions)
    | st.builds(lambda faction, number: o.Karama("take cards", faction=faction, number=number), factions, numbers),
    o.Truthtrance: st.builds(o.Truthtrance, factions, texts),
    o.Ghola: st.builds(o.Ghola, forces=forces)
    | st.builds(o.Ghola, leader=leaders)
    | st.just(o.Ghola(None, None, True)),
    o.EmperorGives: st.builds(o.EmperorGives, numbers, factions),
    o.Deal: st.builds(o.Deal, factions, texts, numbers, numbers),
    o.Show: st.builds(
        lambda shown, readers: o.Show("cards", shown, readers),
        st.lists(cards, min_size=1, max_size=4).map(tuple),
        st.lists(factions, max_size=3).map(tuple),
    )
    | st.builds(
        lambda what, readers: o.Show(what, (), readers),
        st.sampled_from([what for what in get_args(o.Shown) if what != "cards"]),
        st.lists(factions, max_size=3).map(tuple),
    ),
    o.StartWith: st.builds(o.StartWith, cards),
    o.StrongholdAt: st.builds(o.StrongholdAt, areas),
    o.StrongholdTo: st.builds(o.StrongholdTo, areas, st.lists(areas, max_size=3).map(tuple)),
    o.PutBack: st.builds(o.PutBack, cards, st.booleans()),
    o.Swap: st.builds(o.Swap, cards),
    o.Exchange: st.builds(o.Exchange, numbers),
    o.Waive: st.builds(o.Waive, st.sampled_from([p for p in get_args(o.PhaseName) if p not in ("setup", "over")])),
}


@pytest.mark.parametrize("kind", get_args(AnyOrder), ids=lambda kind: kind.__name__)
def test_every_order_is_read_back_from_its_canonical_line(kind: type[Order]) -> None:
    @given(ORDERS[kind] if kind in ORDERS else st.just(kind()), contexts)
    def read_back(order: Order, context: Context) -> None:
        line = write(order)
        order = with_reading(order, context.faction)
        assert read_line(line, context) == order
        assert read_line(f"  {line.upper() if kind not in (o.Truthtrance, o.Deal) else line} ", context) == order

    read_back()


def test_every_order_has_a_form_and_no_form_makes_anything_twice() -> None:
    made = {form.makes for form in FORMS}
    assert set(get_args(AnyOrder)) <= made
    shown = [form.with_placeholders() for form in FORMS]
    assert len(shown) == len(set(shown))


def test_what_was_ordered_or_asked_can_never_be_changed() -> None:
    """The log stores orders and readings, so every kind of them must be frozen."""
    kinds = [Order, Act, Fact, Occasion, Reading, Amount, *get_args(Condition)]
    for kind in kinds:
        assert kind.__struct_config__.frozen, kind
        kinds += kind.__subclasses__()
    assert len(kinds) > 90


def test_help_lists_every_form() -> None:
    assert help_for() == [form.with_placeholders() for form in FORMS if form.listed]


@given(st.text(max_size=1200), contexts)
def test_no_line_whatever_makes_the_reader_fail(text: str, context: Context) -> None:
    read_line(text, context)


_FRAGMENTS = [
    *sorted({word for form in FORMS for word in form.with_placeholders().split()}),
    "3", "3+2", "3.5", "½", "carthag", "ib", "/9", "9", ",", ":", ";", "none", "feyd", "shield", "-", "’", "_",
    "I pay 3", "if", "harko", "imp", "basin", "kh", "->",
]  # fmt: skip


@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=12).map(" ".join), contexts)
def test_no_mixture_of_the_languages_own_words_makes_the_reader_fail(text: str, context: Context) -> None:
    result = read_line(text, context)
    if isinstance(result, Unread):
        assert result.reason
        for suggestion in result.suggestions:
            assert not isinstance(read_line(suggestion, context), Unread), suggestion
    else:
        assert read_line(write(result), context) == result
