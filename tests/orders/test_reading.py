"""Tests for lines as players write them, and the orders that they mean."""

from datetime import date
from typing import Any

import pytest
from lark import Lark

from bot.language import commands
from bot.language.mail_lines import read_any, read_lines
from bot.language.orders import Context, MailCommand, Unread, form_lines, help_for, read_line, write
from rules import orders as o
from rules.components import Card, Faction, Forces, Leader
from rules.components.board import Area, TerritoryId
from rules.orders import Order
from rules.orders.readings import InHand, Reading

HARKONNEN = Context("harkonnen", hand=(Card("Crysknife"), Card("Shield"), Card("Kulon")))
CARTHAG, ARRAKEEN = Area("carthag/11"), Area("arrakeen/10")
BASIN_9 = Area("imperial-basin/9")
TABR = Area("sietch-tabr/14")
WEAPON, DEFENSE = Card("Crysknife"), Card("Shield")
FEYD = "Feyd-Rautha"
LASGUN = Reading((InHand((Card("Lasgun"),)),))


def read(line: str, context: Context = HARKONNEN) -> Order | MailCommand:
    result = read_line(line, context)
    assert not isinstance(result, Unread), result
    return result


def unread(line: str, context: Context = HARKONNEN) -> Unread:
    result = read_line(line, context)
    assert isinstance(result, Unread), result
    return result


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("predict emperor turn 3", o.Predict("emperor", 3)),
        ("traitor Stilgar", o.ChooseTraitor(Leader("Stilgar"))),
        ("place 7 in sietch-tabr, 2+1 in false-wall-south/4",
         o.Place(((Forces(7), TABR), (Forces(2, 1), Area("false-wall-south/4"))))),
        ("storm 12", o.StormDial(12)),
        ("weather control 0", o.WeatherControl(0)),
        ("family atomics", o.FamilyAtomics()),
        ("no storm cards", o.NoStormCards()),
        ("worm red chasm", o.PlaceWorm(TerritoryId("red-chasm"))),
        ("ride 3+1 from cielago-north/3 to red-chasm/7",
         o.Ride(Forces(3, 1), Area("cielago-north/3"), Area("red-chasm/7"))),
        ("no ride", o.NoRide()),
        ("ally guild", o.Ally("guild")),
        ("break alliance", o.BreakAlliance()),
        ("no alliance", o.NoAlliance()),
        ("charity", o.Charity()),
        ("no charity", o.NoCharity()),
        ("bid 5", o.Bid(5)),
        ("bid 5 with karama", o.Bid(5, karama=True)),
        ("bid 12 karama", o.Bid(12, karama=True)),
        ("weather 3", o.WeatherControl(3)),
        ("worm to the great flat", o.PlaceWorm(TerritoryId("the-great-flat"))),
        ("break the alliance", o.BreakAlliance()),
        ("bid up to 9", o.BidUpTo(9)),
        ("bid up to 9 by 2", o.BidUpTo(9, step=2)),
        ("bid up to 9 from 4", o.BidUpTo(9, first=4)),
        ("bid up to 9 by 2 from 4", o.BidUpTo(9, 2, 4)),
        ("bid karama", o.BidKarama()),
        ("pass", o.Pass()),
        ("pass all", o.PassAll()),
        ("support 4", o.Support(4)),
        ("revive 3", o.Revive(Forces(3))),
        ("revive feyd", o.ReviveLeader(Leader(FEYD))),
        ("revive kwisatz haderach", o.ReviveKwisatzHaderach()),
        ("no revival", o.NoRevival()),
        ("fight in arrakeen", o.Fight(TerritoryId("arrakeen"))),
        ("coexist in arrakeen", o.Coexist(TerritoryId("arrakeen"))),
        ("ship 4 to carthag", o.Ship(Forces(4), target=CARTHAG)),
        ("ship 4 from tueks-sietch to carthag", o.Ship(Forces(4), Area("tueks-sietch/5"), CARTHAG)),
        ("ship 4 from tueks-sietch to reserves", o.Ship(Forces(4), Area("tueks-sietch/5"))),
        ("no shipment", o.NoShipment()),
        ("advise carthag", o.Advise(CARTHAG)),
        ("advise polar sink", o.Advise(Area("polar-sink"))),
        ("no advisor", o.NoAdvisor()),
        ("go now", o.GoNow()),
        ("wait", o.Wait()),
        ("move 4 from sietch-tabr via plastic-basin to the-great-flat/15",
         o.Move(Forces(4), TABR, Area("the-great-flat/15"), (TerritoryId("plastic-basin"),))),
        ("move 2 from bight-of-the-cliff/15 to rock-outcroppings/14",
         o.Move(Forces(2), Area("bight-of-the-cliff/15"), Area("rock-outcroppings/14"))),
        ("no move", o.NoMove()),
        ("hajr move 3 from carthag to arrakeen", o.Hajr(o.Move(Forces(3), CARTHAG, ARRAKEEN))),
        ("battle emperor in false-wall-south", o.ChooseBattle("emperor", TerritoryId("false-wall-south"))),
        ("voice fremen play poison weapon", o.Voice("fremen", "poison weapon")),
        ("voice fremen not play lasgun", o.Voice("fremen", "lasgun", play=False)),
        ("voice fremen play a cheap hero", o.Voice("fremen", "cheap hero")),
        ("voice fremen not play special card", o.Voice("fremen", "special card", play=False)),
        ("voice fremen not play crysk", o.Voice("fremen", "Crysknife", play=False)),
        ("voice fremen play projectile defense", o.Voice("fremen", "shield")),
        ("voice fremen play sn", o.Voice("fremen", "snooper")),
        ("no voice", o.NoVoice()),
        ("prescience leader", o.Prescience("leader")),
        ("no prescience", o.NoPrescience()),
        ("plan dial 3.5 spice 2 leader Feyd-Rautha weapon Crysknife defense Shield",
         o.Plan(3.5, FEYD, WEAPON, DEFENSE, 2)),
        ("plan dial 2 leader cheap hero", o.Plan(2, o.CHEAP_HERO)),
        ("plan dial 0 leader none", o.Plan(0)),
        ("plan dial 2 spice 2 leader Gurney Halleck kwisatz haderach",
         o.Plan(2, "Gurney Halleck", spice=2, kwisatz_haderach=True)),
        ("support battles", o.FremenSupport(True)),
        ("no support in battles", o.FremenSupport(False)),
        ("treachery", o.Treachery()),
        ("no treachery", o.NoTreachery()),
        ("lose 3+1", o.Lose(Forces(3, 1))),
        ("keep Crysknife, Shield", o.Keep((WEAPON, DEFENSE))),
        ("keep none", o.Keep(())),
        ("discard Shield", o.Discard((DEFENSE,))),
        ("discard none", o.Discard(())),
        ("capture keep", o.Capture("keep")),
        ("capture kill", o.Capture("kill")),
        ("no capture", o.Capture("none")),
        ("return Trip to Gamont, Shield", o.ReturnCards((Card("Trip to Gamont"), DEFENSE))),
        ("give 3 spice to guild", o.Give(3, "guild")),
        ("no transfer", o.NoTransfer()),
        ("accept", o.Accept()),
        ("decline", o.Decline()),
        ("answer yes", o.Answer("yes")),
        ("answer no", o.Answer("no")),
        ("answer unknown", o.Answer("unknown")),
        ("no karama", o.NoKarama()),
        ("truthtrance harkonnen: do you hold Lasgun?", o.Truthtrance("harkonnen", "do you hold Lasgun?", LASGUN)),
        ("ghola 5", o.Ghola(forces=Forces(5))),
        ("ghola Stilgar", o.Ghola(leader=Leader("Stilgar"))),
        ("emperor gives 2 to guild", o.EmperorGives(2, "guild")),
        ("deal with guild: no attack this turn; I pay 3; you pay 2", o.Deal("guild", "no attack this turn", 3, 2)),
        ("waive reactions until battle", o.Waive("battle")),
        ("karama cancel kwisatz haderach", o.Karama("cancel kwisatz haderach")),
        ("karama half shipping", o.Karama("half shipping")),
        ("karama half shipping for emperor", o.Karama("half shipping", faction="emperor")),
        ("karama worm red-chasm", o.Karama("worm", territory=TerritoryId("red-chasm"))),
        ("karama revive 3", o.Karama("revive", forces=Forces(3))),
        ("karama revive Chani", o.Karama("revive", leader=Leader("Chani"))),
        ("karama see plan of emperor", o.Karama("see plan", faction="emperor")),
        ("karama take 2 cards from emperor", o.Karama("take cards", faction="emperor", number=2)),
    ],
)  # fmt: skip
def test_the_canonical_orders(line: str, order: Order) -> None:
    words, colon, own_words = line.partition(":")
    assert read(line) == order
    assert read(words.upper() + colon + own_words) == order


@pytest.mark.parametrize("effect", [
    "cancel voice", "cancel prescience", "cancel kwisatz haderach", "cancel sardaukar", "cancel fedaykin",
    "cancel advisor", "cancel worm", "cancel free card", "cancel capture", "cancel karama", "cancel fremen support",
    "half shipping", "free card purchase", "guild in turn", "block spice card", "block bidding cards", "stop shipment",
])  # fmt: skip
def test_every_effect_of_the_karama_has_its_words(effect: o.KaramaEffect) -> None:
    assert read(f"karama {effect}") == o.Karama(effect)


@pytest.mark.parametrize("place", [
    "imperial basin/9", "Imperial-Basin/9", "imperial basin 9", "ib/9", "IB 9", "ib9", "imp basin/9",
    "imperial basin (9)", "imperial basin sector 9", "the imperial basin / 9", "imp/9",
])  # fmt: skip
def test_an_area_may_be_written_in_many_ways(place: str) -> None:
    assert read(f"ship 3 to {place}") == o.Ship(Forces(3), target=BASIN_9)


@pytest.mark.parametrize(("text", "territory"), [
    ("TS", "tueks-sietch"), ("tuek's sietch", "tueks-sietch"), ("Tuek’s Sietch", "tueks-sietch"),
    ("ST", "sietch-tabr"), ("basin", "basin"), ("Hole in the Rock", "hole-in-the-rock"), ("hr", "hole-in-the-rock"),
    ("great flat", "the-great-flat"), ("Blight of the Cliff", "bight-of-the-cliff"), ("wind pass", "wind-pass"),
    ("WP", "wind-pass"), ("BL", "broken-land"), ("wind pass n", "wind-pass-north"), ("sihaya", "sihaya-ridge"),
])  # fmt: skip
def test_territories_by_abbreviation_spelling_and_beginning(text: str, territory: str) -> None:
    assert read(f"fight in {text}") == o.Fight(TerritoryId(territory))


@pytest.mark.parametrize(("text", "faction"), [
    ("bg", "bene-gesserit"), ("Bene Gesserit", "bene-gesserit"), ("bene-gesserit", "bene-gesserit"),
    ("atr", "atreides"), ("emp", "emperor"), ("the Emperor", "emperor"), ("har", "harkonnen"), ("harko", "harkonnen"),
    ("gui", "guild"), ("Spacing Guild", "guild"), ("fre", "fremen"), ("House Atreides", "atreides"),
])  # fmt: skip
def test_factions_by_their_short_forms(text: str, faction: Faction) -> None:
    assert read(f"ally {text}") == o.Ally(faction)


@pytest.mark.parametrize(("text", "forces"), [
    ("5", Forces(5)), ("5 tokens", Forces(5)), ("5 forces", Forces(5)), ("3+2", Forces(3, 2)), ("0+2", Forces(0, 2)),
    ("3 + 2", Forces(3, 2)), ("3 and 2 elite", Forces(3, 2)), ("3 tokens and 2 Sardaukar", Forces(3, 2)),
    ("2 fedaykin", Forces(0, 2)), ("３", Forces(3)),
])  # fmt: skip
def test_forces_may_be_counted_in_words_of_the_table(text: str, forces: Forces) -> None:
    assert read(f"lose {text}") == o.Lose(forces)


@pytest.mark.parametrize("line", [
    "mv 3 from Carthag to Arrakeen", "- move 3 from carthag to arrakeen", "1) move 3 from carthag to arrakeen",
    "2. Move 3 from Carthag to Arrakeen.", "• move 3 from carthag to arrakeen", "MOVE 3 FROM CARTHAG TO ARRAKEEN!",
    "[x] move 3 from Carthag to Arrakeen", "[X]move 3 from Carthag to Arrakeen",
    "move\u00a03 from\u00a0carthag to arrakeen", "“move 3 from carthag to arrakeen”", "move 3 from car to arr",
    "move 3 from carthag -> arrakeen", "  move   3 from carthag  to arrakeen  ",
    "move 3 from\u200b carthag to arrakeen",
])  # fmt: skip
def test_the_signs_of_mail_programs_do_not_matter(line: str) -> None:
    assert read(line) == o.Move(Forces(3), CARTHAG, ARRAKEEN)


@pytest.mark.parametrize("line", [
    "plan dial 3.5 spice 2 leader Feyd-Rautha weapon Crysknife defense Shield",
    "plan leader feyd defence shield weapon crysknife spice 2 dial 3.5",
    "plan: dial 3,5, spice 2, leader Feyd Rautha, weapon crys, defense sh",
    "plan dial 3½ spice 2 leader feyd and weapon cry and defense shi",
    "plan 3.5 spice 2 leader fe weapon c defense s",
])  # fmt: skip
def test_the_parts_of_a_plan_come_in_any_order(line: str) -> None:
    assert read(line) == o.Plan(3.5, FEYD, WEAPON, DEFENSE, 2)


def test_blanks_left_in_the_form_of_a_plan_are_nothing() -> None:
    line = "plan dial 3 spice _ leader feyd weapon ______ defense ______"
    assert read(line) == o.Plan(3, FEYD)


def test_a_shortened_name_means_what_the_writer_can_have() -> None:
    atreides = Context("atreides", hand=(Card("Chaumas"),))
    emperor = Context("emperor", hand=(Card("Crysknife"),))
    assert read("plan dial 1 leader yueh weapon c", atreides) == o.Plan(1, "Dr. Wellington Yueh", Card("Chaumas"))
    assert read("plan dial 1 leader fenring weapon c", emperor) == o.Plan(1, "Count Hasimir Fenring", WEAPON)
    captor = Context("harkonnen", leaders=(Leader("Lady Margot Fenring"),))
    assert read("plan dial 1 leader fenring", captor) == o.Plan(1, "Lady Margot Fenring")


def test_a_whole_name_means_itself_whatever_is_in_the_hand() -> None:
    context = Context("atreides", hand=(Card("Cheap Heroine"),))
    assert read("discard cheap hero", context) == o.Discard((Card("Cheap Hero"),))
    assert read("plan dial 1 leader Cheap Heroine", context) == o.Plan(1, o.CHEAP_HERO)


@pytest.mark.parametrize("words", ["not play", "don't play", "don’t play", "do not play"])
def test_the_voice_forbids_in_several_ways(words: str) -> None:
    assert read(f"voice fremen {words} lasgun") == o.Voice("fremen", "lasgun", play=False)


def test_the_players_own_words_stay_as_they_are() -> None:
    assert read("TRUTHTRANCE har: Do you hold the Lasgun – really?") == o.Truthtrance(
        "harkonnen", "Do you hold the Lasgun – really?", Reading()
    )
    assert read("press to bg, Guild: Meet me in Carthag!") == commands.Press(
        ("bene-gesserit", "guild"), "Meet me in Carthag!"
    )


@pytest.mark.parametrize(("line", "command"), [
    ("press to all but harkonnen, bg: Hm.", commands.Press((), "Hm.", ("harkonnen", "bene-gesserit"))),
    ("press to everyone except the guild: Hm.", commands.Press((), "Hm.", ("guild",))),
    ("press unsigned to guild: Hm.", commands.Press(("guild",), "Hm.", signed=False)),
    ("unsigned press to guild: Hm.", commands.Press(("guild",), "Hm.", signed=False)),
    ("grey press to all: Hm.", commands.Press((), "Hm.", signed=False)),
    ("press signed to all but guild: Hm.", commands.Press((), "Hm.", ("guild",), signed=True)),
    ("press to guild as to all: Hm.", commands.Press(("guild",), "Hm.", shown=())),
    ("press to guild as to guild, fremen: a: b", commands.Press(("guild",), "a: b", shown=("guild", "fremen"))),
    ("press: Hm.", commands.PressToNobody("Hm.")),
    ("report 3", commands.Report(3)), ("report 3: they lie", commands.Report(3, "they lie")),
    ("send anyway", commands.SendAnyway()), ("archive press no", commands.ArchivePress(shown=False)),
])  # fmt: skip
def test_press_and_what_is_about_it(line: str, command: MailCommand) -> None:
    written = read(line, Context("guild"))
    assert isinstance(written, MailCommand)
    assert written == command
    assert read(write(written), Context("guild")) == command


@pytest.mark.parametrize("line", ["press to gild, fremen: hm", "press to all, guild: hm", "press to nobody: hm"])
def test_press_to_somebody_unknown_is_a_question(line: str) -> None:
    assert unread(line).reason


@pytest.mark.parametrize(("line", "command"), [
    ("status", commands.Status()), ("Map?", commands.ShowMap()), ("map names", commands.ShowMap("names")),
    ("map codes and dark", commands.ShowMap("codes dark")), ("history", commands.History()),
    ("rules", commands.Rules()), ("rules shipment", commands.Rules("shipment")), ("orders", commands.ShowOrders()),
    ("cancel", commands.Cancel()), ("cancel bid 5", commands.Cancel("bid 5")), ("HELP!", commands.Help()),
    ("help karama", commands.Help("karama")), ("press to all: Hello.", commands.Press((), "Hello.")),
    ("absent 2026-12-24 to 2027-01-02", commands.Absent(date(2026, 12, 24), date(2027, 1, 2))),
    ("absent 24 Dec to 2 Jan", commands.Absent(date(2026, 12, 24), date(2027, 1, 2))),
    ("absent from 24.12. until 2.1.", commands.Absent(date(2026, 12, 24), date(2027, 1, 2))),
    ("sitter sam_99+dune@example.org until 2027-01-31",
     commands.AskForSitter("sam_99+dune@example.org", date(2027, 1, 31))),
    ("Sitter 7of9@example.org until 31 Jan", commands.AskForSitter("7of9@example.org", date(2027, 1, 31))),
    ("sitter Sam <sam@example.org> until 31.1.", commands.AskForSitter("sam@example.org", date(2027, 1, 31))),
    ("sitter off", commands.SitterOff()),
    ("extend 24", commands.Extend(24)), ("extend by 24 hours", commands.Extend(24)), ("resign", commands.Resign()),
])  # fmt: skip
def test_commands_about_the_mail(line: str, command: MailCommand) -> None:
    assert read(line, Context("guild", today=date(2026, 11, 22))) == command


# --- lines not understood --------------------------------------------------------------------------------------------


def test_a_missing_sector_is_asked_for_by_number() -> None:
    answer = unread("move 3 from carthag to ib")
    assert "9, 10 and 11" in answer.reason
    assert answer.suggestions == tuple(f"move 3 from Carthag to Imperial Basin/{sector}" for sector in (9, 10, 11))


@pytest.mark.parametrize("line", ["move 2 from reserves to carthag", "ship 2 to the reserves", "advise reserve"])
def test_the_reserves_are_no_territory_and_one_is_told_how_to_come_from_there(line: str) -> None:
    answer = unread(line)
    assert "“ship 3 to AREA”" in answer.reason


def test_a_wrong_sector_is_put_right() -> None:
    answer = unread("ship 3 to arrakeen/9")
    assert "Arrakeen lies in sector 10" in answer.reason
    assert answer.suggestions == ("ship 3 to Arrakeen",)


@pytest.mark.parametrize("line", ["bid 1²", "bid 1₂", "bid 3¼", "bid 1①", "revive 1³"])
def test_a_raised_or_circled_digit_makes_no_greater_number(line: str) -> None:
    unread(line)


def test_what_could_mean_two_things_is_not_guessed() -> None:
    answer = unread("fight in wind")
    assert "Wind Pass or Wind Pass North" in answer.reason
    assert answer.suggestions == ("fight in Wind Pass", "fight in Wind Pass North")


@pytest.mark.parametrize(("line", "suggestion"), [
    ("ship 3 to arakeen", "ship 3 to Arrakeen"),
    ("mvoe 3 from cartag to ib/9", "move 3 from Carthag to Imperial Basin/9"),
    ("move 3 from carthag too ib/9", "move 3 from Carthag to Imperial Basin/9"),
    ("no shipmnt", "no shipment"), ("bdi 4", "bid 4"), ("I pass", "pass"),
    ("plan dial 3 leader fyed weapon criskife", "plan dial 3 leader Feyd-Rautha weapon Crysknife"),
    ("plan dial 3", "plan dial 3 leader none"), ("shipment: ship 3 to carthag", "ship 3 to Carthag"),
    ("deal with guild: peace, I pay 3", "deal with Guild: peace; I pay 3"),
    ("truthtrance guild do you hold Lasgun?", "truthtrance Guild: do you hold Lasgun?"),
])  # fmt: skip
def test_nearly_right_lines_get_the_right_line_and_are_not_played(line: str, suggestion: str) -> None:
    answer = unread(line)
    assert suggestion in answer.suggestions
    assert not isinstance(read_line(suggestion, HARKONNEN), Unread)


@pytest.mark.parametrize("line", ["revive 2 and 1", "ship 3 to Carthag, 2"])
def test_a_line_of_which_the_beginning_is_an_order_is_not_cut_before_a_number(line: str) -> None:
    assert unread(line).suggestions == ()


@pytest.mark.parametrize("line", [
    "ally ixxians", "aly ix", "truthtrance ixain: will you win?", "deal with tlielaxu: peace", "press to ixans: hello",
    "karama cancel wrm for ix", "ally fremmen",
])  # fmt: skip
def test_no_faction_is_suggested_that_is_not_in_the_game(line: str) -> None:
    of_three = read_line(line, Context("harkonnen", frozenset(("harkonnen", "guild", "emperor"))))
    assert isinstance(of_three, Unread)
    assert of_three.suggestions == ()
    assert not any(name in of_three.reason for name in ("Ixians", "Tleilaxu", "Fremen"))
    there = read_line(line, Context("harkonnen", frozenset(("harkonnen", "ixians", "tleilaxu", "fremen"))))
    assert isinstance(there, Unread)
    assert there.suggestions


@pytest.mark.parametrize(("line", "words"), [
    ("ship 3", "“ship FORCES to AREA”"), ("voice fremen lasgun", "“voice FACTION play KIND”"),
    ("voice fremen play banana", "projectile weapon"), ("ship _ to ______", "blank"),
    ("plan dial 3.7 leader none", "3.5"), ("plan dial 3 dial 4 leader none", "twice"),
    ("plan dial 3 leader none weapon Lasgun weapon Stunner defense Shield", "twice"),
    ("plan leader none", "plan dial 3"), ("plan kwisatz haderach kwisatz haderach", "twice"),
    ("absent soon to later", "2027-01-31"), ("absent 30 Feb to 2 Mar", "2027-01-31"),
    ("deal with guild: I pay 3", "semicolon"), ("bid 99999", "“bid N”"), ("no", "help no"), ("x" * 1001, "1000"),
    ("ally mars", "Fremen or Guild"), ("", "nothing"),
])  # fmt: skip
def test_the_reason_says_what_would_be_right(line: str, words: str) -> None:
    assert words in unread(line).reason


@pytest.mark.parametrize("stop", ["", ",", " and"])
def test_a_plan_that_names_its_spice_twice_is_told_so_and_loses_none_of_it(stop: str) -> None:
    answer = unread(f"plan dial 3 spice 2 leader feyd{stop} spice 3")
    assert (answer.reason, answer.suggestions) == ("The plan names its spice twice; name it once.", ())


@pytest.mark.parametrize("line", ["Hello Mentat,", "Hello all,", "Hi there!", "Good evening Mentat", "Thanks, Mentat"])
def test_a_greeting_is_talk_and_no_misspelt_command(line: str) -> None:
    assert unread(line).chatter
    assert unread(line).suggestions == ()


@pytest.mark.parametrize("line", ["hello all, photo of my cat", "Hello everybody, see you", "hey all! nice one"])
def test_a_greeting_with_more_behind_it_is_no_misspelt_call_for_help(line: str) -> None:
    found = unread(line)
    assert (found.suggestions, found.chatter) == ((), True)


@pytest.mark.parametrize(("lines", "told"), [
    (["I quit, sorry"], "“resign”"), (["Dear Mentat,", "please unsubscribe me!"], "“resign”"),
    (["Can you find somebody else for my seat?"], "“resign”"),
    (["I'm away next week, need more time"], "“absent 24 Dec"),
    (["Could we have more time?"], "“extend 24”"),
    (["Until tomorrow!"], "“extend 24”"), (["Nice game so far."], "“help”"),
])  # fmt: skip
def test_talk_that_wishes_for_something_is_told_the_command_and_does_nothing(lines: list[str], told: str) -> None:
    (found,) = read_lines(lines, HARKONNEN)
    assert isinstance(found.result, Unread)
    assert found.result.chatter
    assert told in found.result.reason


def test_a_mail_loses_its_empty_lines_and_talk_is_answered_once() -> None:
    read = read_lines(
        ["Hi Mentat,", "Orders:", "", "# my bid", "pass", "ship 3 to arakeen", "...", "Thanks!", "Max"], HARKONNEN
    )
    assert [line.text for line in read] == ["Hi Mentat,\nOrders:\n...\nThanks!\nMax", "pass", "ship 3 to arakeen"]
    talk, order, misspelt = (line.result for line in read)
    assert isinstance(talk, Unread)
    assert talk.chatter
    assert order == o.Pass()
    assert isinstance(misspelt, Unread)
    assert not misspelt.chatter


# --- forms and help --------------------------------------------------------------------------------------------------


def test_the_forms_of_a_question_are_those_that_answer_it() -> None:
    assert help_for("shipment") == [
        "ship FORCES to AREA", "ship FORCES from AREA to AREA", "ship FORCES from AREA to reserves", "no shipment",
    ]  # fmt: skip
    assert form_lines("guild-timing") == ["go now", "wait"]
    assert form_lines("losses") == ["lose _"]


def test_help_finds_forms_by_question_by_word_and_by_its_beginning() -> None:
    assert help_for("guild-timing") == ["go now", "wait"]
    assert help_for("weather") == ["weather control N"]
    assert help_for("trut") == ["truthtrance FACTION: QUESTION"]
    assert help_for("karama")[0].startswith("karama")
    assert help_for("nonsense") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("feyd", "“feyd” is a leader; write what to do, like “traitor Feyd-Rautha”"),
        ("Carthag", "“Carthag” is a territory; write what to do there, like “ship FORCES to Carthag”"),
        ("lasgun", "“lasgun” is a card;"),
        ("gom jabbar", "“gom jabbar” is a card;"),
    ],
)
def test_a_name_alone_is_told_what_it_names(line: str, said: str) -> None:
    assert unread(line).reason.startswith(said)


@pytest.mark.parametrize("line", ["best wishes", "see you at Carthag", "ann"])
def test_talk_is_no_name_alone(line: str) -> None:
    assert unread(line).chatter


def test_a_leader_is_read_with_the_value_that_letters_print_and_with_no_other() -> None:
    plan = read("plan dial 3.5 spice 2 leader Feyd-Rautha 6 weapon crysknife")
    assert isinstance(plan, o.Plan)
    assert (plan.leader, plan.weapon) == (FEYD, "Crysknife")
    assert read("revive Umman Kudu (1)") == o.ReviveLeader(Leader("Umman Kudu"))
    assert "did you mean Feyd-Rautha?" in unread("plan dial 2 leader Feyd-Rautha 5").reason


def test_yueh_is_one_leader_in_1979_and_two_in_2019() -> None:
    assert read("traitor yueh", Context("guild")) == o.ChooseTraitor(Leader("Dr. Wellington Yueh"))
    assert read("traitor wanna yueh", Context("guild")) == o.ChooseTraitor(Leader("Wanna Marcus"))
    assert (
        "could be Dr. Wellington Yueh or Wanna Marcus"
        in unread("traitor yueh", Context("guild", edition="2019")).reason
    )


def test_a_long_line_of_talk_is_hardly_ever_given_to_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = list[str]()
    parse = Lark.parse

    def counted(parser: Lark, text: str) -> Any:
        parsed.append(text)
        return parse(parser, text)

    monkeypatch.setattr(Lark, "parse", counted)
    talk = "if he comes when the emperor, bids or the guild, whenever, passes if, " * 9
    assert isinstance(read_any(talk[:450], Context("harkonnen")), Unread)
    assert len(parsed) < 60, "there are hundreds of places at which an order could begin or end"
