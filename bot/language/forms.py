"""The table of forms: every way in which an order or a command can be written.

In a pattern, words stand for themselves. `{field:slot}` is a blank that fills a field (`{slot}` if both have the same
name). `kwisatz_haderach` is one keyword of two words. The canonical form of an order is the first form for its type
that has a place for all its fields. `also` lists other ways to write the same order; Mentat reads these, but never
writes them. The grammar, the canonical lines (`write`), the blank lines in letters and the help all come from this
table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, get_args

import msgspec

from bot.language import commands
from bot.language.commands import MailCommand
from bot.language.lines import Slot
from bot.language.slots import SLOTS, SPREAD
from rules import orders as o
from rules.orders import ANSWERS, KaramaEffect, Order, QuestionKind

Written = Order | MailCommand


@dataclass(frozen=True, slots=True)
class Blank:
    field: str
    slot_name: str

    @property
    def slot(self) -> Slot:
        return SLOTS[self.slot_name]

    @property
    def fields(self) -> tuple[str, ...]:
        return SPREAD.get(self.slot_name, (self.field,))


Piece = str | Blank


@cache
def pieces(pattern: str) -> tuple[Piece, ...]:
    found: list[Piece] = []
    for word in re.findall(r"\{[^}]*\}|[^\s{}:]+|:", pattern):
        if word.startswith("{"):
            name, _, slot = word[1:-1].partition(":")
            found.append(Blank(name, slot or name))
        else:
            found.append(word)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Form:
    """One form in which an order can be written.

    `fixed` holds the fields whose values follow from the words of the form. `inside` names the field that contains
    another order (the move that a Hajr allows). `implied` lists fields that are computed from the others (the meaning
    of a question). A form that is not `listed` is left out of the general help. A form that is not `read` cannot be
    written by players; it is used only to describe the default.
    """

    makes: type[Order] | type[MailCommand]
    pattern: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    inside: tuple[str, type[Order]] | None = None
    implied: tuple[str, ...] = ()
    listed: bool = True
    read: bool = True

    def make(self, values: Mapping[str, Any]) -> Written:
        if self.inside:
            name, kind = self.inside
            return self.makes(**{name: kind(**values)})
        return self.makes(**self.fixed, **values)

    def values(self, written: Written) -> dict[str, Any] | None:
        name, kind = self.inside or ("", self.makes)
        inner = getattr(written, name) if name else written
        found: dict[str, Any] = {}
        for name, default in _DEFAULTS[kind].items():
            value = getattr(inner, name)
            if blank := self.blank_of(name):
                if not blank.slot.holds(value):
                    return None
                found[name] = value
            elif name not in self.implied and value != self.fixed.get(name, default):
                return None
        return found

    def blank_of(self, name: str) -> Blank | None:
        return next((p for p in pieces(self.pattern) if isinstance(p, Blank) and name in p.fields), None)

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """Return the kinds of questions that the form answers. The result is empty for commands, and for plays that are
        possible at any stop."""
        return _kinds_answered_by(self.makes)

    def with_placeholders(self) -> str:
        return self.filled(lambda blank: blank.slot.placeholder)  # "ship FORCES to AREA"

    def to_fill(self) -> str:
        return self.filled(lambda blank: blank.slot.blank)  # "ship _ to ______"

    def filled(self, fill: Callable[[Blank], str]) -> str:
        line = ""
        for piece in pieces(self.pattern):
            words = piece.replace("_", " ") if isinstance(piece, str) else fill(piece)
            line += words if piece == ":" or not line else f" {words}"
        return line


def _kinds_answered_by(made: type[Any]) -> tuple[QuestionKind, ...]:
    return ANSWERS.get(made, ()) if issubclass(made, Order) else ()


def _karamas() -> Iterator[Form]:
    forms = tuple(_karama_effects())
    yield from forms
    for form in forms:
        also = tuple(f"{pattern} with {{card}}" for pattern in form.also)
        yield Form(o.Karama, f"{form.pattern} with {{card}}", form.fixed, also, listed=False)


def _karama_effects() -> Iterator[Form]:
    named = ("worm", "revive", "see plan", "take cards", "hms", "cancel ghola", "stop revival")
    for effect in get_args(KaramaEffect):
        if effect not in named:
            words = effect.replace("kwisatz haderach", "kwisatz_haderach")
            yield Form(o.Karama, f"karama {words}", {"effect": effect})
    yield Form(o.Karama, "karama cancel worm for {faction}", {"effect": "cancel worm"})
    yield Form(o.Karama, "karama half shipping for {faction}", {"effect": "half shipping"})
    yield Form(o.Karama, "karama cancel half price for {faction}", {"effect": "cancel half price"})
    yield Form(
        o.Karama,
        "karama cancel revival payment of {faction}",
        {"effect": "cancel revival payment"},
        ("karama cancel revival payment by {faction}", "karama cancel revival payment for {faction}"),
    )
    yield Form(o.Karama, "karama cancel ghola {leader}", {"effect": "cancel ghola"})
    yield Form(
        o.Karama, "karama stop revival of {faction}", {"effect": "stop revival"}, ("karama stop revival {faction}",)
    )
    yield Form(o.Karama, "karama worm {territory}", {"effect": "worm"}, ("karama worm in {territory}",))
    yield Form(o.Karama, "karama revive {forces}", {"effect": "revive"})
    yield Form(o.Karama, "karama revive {leader}", {"effect": "revive"})
    yield Form(o.Karama, "karama see plan of {faction}", {"effect": "see plan"}, ("karama see plan {faction}",))
    yield Form(
        o.Karama,
        "karama take {number} cards from {faction}",
        {"effect": "take cards"},
        ("karama take {number} card from {faction}", "karama take {number} from {faction}"),
    )

    yield Form(o.Karama, "karama hms to {area}", {"effect": "hms"})
    yield Form(o.Karama, "karama hms via {via:areas} to {area}", {"effect": "hms"})


def _shows() -> Iterator[Form]:
    for what in get_args(o.Shown):
        also = {"cards": (), "hand": ("my hand", "cards", "my cards")}.get(what, (f"my {what}",))
        shown = tuple(f"show {one}" for one in ("{cards}" if what == "cards" else what, *also))
        yield Form(
            o.Show, shown[0], {"what": what}, (*shown[1:], *(f"{one} to {all_}" for one in shown for all_ in _ALL))
        )
        to_some = tuple(f"{one} to {{readers:factions}}" for one in shown)
        yield Form(o.Show, to_some[0], {"what": what}, to_some[1:], listed=what == "cards")


_ALL = ("all", "everybody", "everyone")


_MOVES = ("{forces} from {source:area} to {target:area}", "{forces} from {source:area} via {via} to {target:area}")
_MOVE_ALSO = ("{forces} from {source:area} to {target:area} via {via}",)

FORMS: tuple[Form, ...] = (
    Form(o.Predict, "predict {faction} turn {turn:number}", {}, (
        "predict {faction} in turn {turn:number}", "predict {faction} on turn {turn:number}",
        "predict {faction}, turn {turn:number}")),
    Form(o.ChooseTraitor, "traitor {leader:traitor}"),
    Form(o.Place, "place {groups}"),
    Form(o.StormDial, "storm {number}", {}, ("storm dial {number}",)),
    Form(o.WeatherControl, "weather control {sectors:number}", {}, (
        "weather control {sectors:number} sectors", "weather {sectors:number}")),
    Form(o.FamilyAtomics, "family atomics", {}, ("atomics",)),
    Form(o.NoStormCards, "no storm cards", {}, ("no storm card",)),
    Form(o.PlaceWorm, "worm {territory}", {}, ("worm in {territory}", "worm to {territory}")),
    Form(o.Ride, "ride {forces} from {source:area} to {target:area}"),
    Form(o.NoRide, "no ride"),
    Form(o.SpareAlly, "spare ally", {}, ("spare my ally", "spare allies")),
    Form(o.FeedAlly, "feed ally", {}, ("feed my ally", "feed allies")),
    Form(o.Ally, "ally {faction}", {}, ("ally with {faction}",)),
    Form(o.BreakAlliance, "break alliance", {}, ("break the alliance",)),
    Form(o.NoAlliance, "no alliance"),
    Form(o.EndGame, "end the game", {}, ("end game",)),
    Form(o.PlayOn, "play on"),
    Form(o.PlayOn, "play on with {number}"),
    Form(o.Charity, "charity", {}, ("claim charity",)),
    Form(o.NoCharity, "no charity"),
    Form(o.Bid, "bid {amount:number}", {}, ("bid {amount:number} spice",)),
    Form(o.Bid, "bid {amount:number} with karama", {"karama": True}, (
        "bid {amount:number} spice with karama", "bid {amount:number} karama")),
    Form(o.BidUpTo, "bid up to {limit:number}", {}, ("bid upto {limit:number}", "bid up to {limit:number} spice",)),
    Form(o.BidUpTo, "bid up to {limit:number} from {first:number}", {}, (
        "bid from {first:number} up to {limit:number}",)),
    Form(o.BidUpTo, "bid up to {limit:number} by {step:number}"),
    Form(o.BidUpTo, "bid up to {limit:number} by {step:number} from {first:number}", {}, (
        "bid from {first:number} up to {limit:number} by {step:number}",)),
    Form(o.BidKarama, "bid karama"),
    Form(o.Pass, "pass"),
    Form(o.PassAll, "pass all"),
    Form(o.Support, "support {amount:number}", {}, ("support {amount:number} spice",)),
    Form(o.Revive, "revive {forces}"),
    Form(o.ReviveLeader, "revive {leader}"),
    Form(o.ReviveKwisatzHaderach, "revive kwisatz_haderach"),
    Form(o.NoRevival, "no revival"),
    Form(o.Fight, "fight in {territory}", {}, ("fighters in {territory}",)),
    Form(o.Coexist, "coexist in {territory}", {}, ("advisors in {territory}",)),
    Form(o.Ship, "ship {forces} to {target:area}", {}, ("ship {forces} from reserves to {target:area}",)),
    Form(o.Ship, "ship {forces} from {source:area} to {target:area}"),
    Form(o.Ship, "ship {forces} from {source:area} to reserves", {}, ("ship {forces} from {source:area} to reserve",)),
    Form(o.NoShipment, "no shipment"),
    Form(o.Advise, "advise {area}"),
    Form(o.NoAdvisor, "no advisor"),
    Form(o.GoNow, "go now"),
    Form(o.Wait, "wait"),
    Form(o.Move, f"move {_MOVES[0]}"),
    Form(o.Move, f"move {_MOVES[1]}", {}, tuple(f"move {also}" for also in _MOVE_ALSO)),
    Form(o.NoMove, "no move", {}, ("no movement",)),
    Form(o.Hajr, f"hajr move {_MOVES[0]}", inside=("move", o.Move)),
    Form(o.Hajr, f"hajr move {_MOVES[1]}", {}, tuple(f"hajr move {also}" for also in _MOVE_ALSO), ("move", o.Move)),
    Form(o.ChooseBattle, "battle {opponent:faction} in {territory}"),
    Form(o.Voice, "voice {faction} play {kind}", {}, (
        "voice {faction} to play {kind}", "voice {faction} play a {kind}", "voice {faction} to play a {kind}")),
    Form(o.Voice, "voice {faction} not play {kind}", {"play": False}, (
        "voice {faction} don't play {kind}", "voice {faction} do not play {kind}",
        "voice {faction} not to play {kind}", "voice {faction} not play a {kind}",
        "voice {faction} do not play a {kind}", "voice {faction} not to play a {kind}")),
    Form(o.NoVoice, "no voice"),
    Form(o.Prescience, "prescience {element}"),
    Form(o.NoPrescience, "no prescience"),
    Form(o.Plan, "plan {plan}", {}, ("plan : {plan}",)),
    Form(o.FremenSupport, "support battles", {"granted": True}, ("support in battles",)),
    Form(o.FremenSupport, "no support in battles", {"granted": False}, ("no support battles",)),
    Form(o.Treachery, "treachery"),
    Form(o.NoTreachery, "no treachery"),
    Form(o.UsePoisonTooth, "use poison tooth", {}, ("poison tooth", "use the poison tooth")),
    Form(o.NoPoisonTooth, "no poison tooth"),
    Form(o.TakeToken, "take {token}", {}, ("take the {token}",)),
    Form(o.Lose, "lose {forces}"),
    Form(o.Keep, "keep {cards}"),
    Form(o.Discard, "discard {cards}"),
    Form(o.Capture, "capture keep", {"choice": "keep"}),
    Form(o.Capture, "capture kill", {"choice": "kill"}),
    Form(o.Capture, "no capture", {"choice": "none"}),
    Form(o.ReturnCards, "return {cards}"),
    Form(o.Give, "give {amount:number} spice to {faction}", {}, ("give {amount:number} to {faction}",)),
    Form(o.NoTransfer, "no transfer"),
    Form(o.Accept, "accept"),
    Form(o.Decline, "decline"),
    *(Form(o.Answer, f"answer {word}", {"word": word}) for word in ("yes", "no", "unknown")),
    Form(o.Answer, "no answer", {"word": "no answer"}, listed=False, read=False),
    Form(o.NoKarama, "no karama"),
    *_karamas(),
    Form(o.Truthtrance, "truthtrance {faction} : {question}", implied=("reading",)),
    Form(o.Thumper, "thumper", {}, ("play thumper",)),
    Form(o.Harvester, "harvester", {}, ("play harvester",)),
    Form(o.Harvester, "harvester on {territory}", {}, ("harvester in {territory}",)),
    Form(o.Harvester, "harvester at {least:number} or more", {}, (
        "harvester at least {least:number}", "harvester at {least:number}")),
    Form(o.Amal, "amal", {}, ("play amal",)),
    Form(o.Amal, "amal in {phase}"),
    Form(o.Ghola, "ghola {forces}"),
    Form(o.Ghola, "ghola {leader}"),
    Form(o.Ghola, "ghola kwisatz_haderach", {"kwisatz_haderach": True}),
    Form(o.EmperorGives, "emperor gives {amount:number} to {faction}", {}, (
        "emperor gives {amount:number} spice to {faction}",)),
    Form(o.Deal, "deal with {faction} : {terms}"),
    Form(o.Deal, "secret deal with {faction} : {terms}", {"secret": True}, ("private deal with {faction} : {terms}",)),
    *_shows(),
    Form(o.StartWith, "start with {card}", {}, ("start {card}",)),
    Form(o.StrongholdAt, "hms at {area}"),
    Form(o.StrongholdTo, "hms to {target:area}"),
    Form(o.StrongholdTo, "hms via {via:areas} to {target:area}", {}, ("hms to {target:area} via {via:areas}",)),
    Form(o.StrongholdStays, "hms stays", {}, ("hms stay",)),
    Form(o.PutBack, "put {card} on top", {"top": True}, ("put {card} on the top",)),
    Form(o.PutBack, "put {card} at the bottom", {"top": False}, (
        "put {card} at bottom", "put {card} on the bottom", "put {card} on bottom")),
    Form(o.Swap, "swap {card}"),
    Form(o.NoSwap, "no swap"),
    Form(o.NoSwapAll, "no swap all"),
    Form(o.Redraw, "redraw"),
    Form(o.NoRedraw, "no redraw"),
    Form(o.Exchange, "exchange {number}"),
    Form(o.NoExchange, "no exchange"),
    Form(o.Waive, "waive reactions until {until:phase}", {}, ("waive until {until:phase}",)),
    Form(o.RaiseLimits, "limit five for {factions}", {}, ("limit 5 for {factions}", "raise limit for {factions}")),
    Form(o.RaiseLimits, "limit five for all", {"everybody": True}, (
        "limit 5 for all", "raise limit for all", "limit five for everybody", "limit five for everyone",)),
    Form(o.RaiseLimits, "limit three for all", {}, (
        "limit 3 for all", "limit three for everybody", "limit three for everyone",)),
    Form(o.AskForLeader, "ask for {leader}"),
    Form(o.AskForLeader, "ask for kwisatz_haderach", {"kwisatz_haderach": True}),
    Form(o.NoRequest, "no request"),
    Form(o.NamePrice, "price {amount:number} for {leader}"),
    Form(o.NamePrice, "price {amount:number} for kwisatz_haderach", {"kwisatz_haderach": True}),
    Form(o.NoPrice, "no price for {leader}"),
    Form(o.NoPrice, "no price for kwisatz_haderach", {"kwisatz_haderach": True}),
    Form(o.NoPrice, "no price"),
    Form(o.RevealDancer, "face dancer", {}, ("reveal face dancer",)),
    Form(o.NoDancer, "no face dancer"),
    Form(o.Replace, "replace with {groups:senders}"),
    Form(o.Replace, "replace with {groups:senders} to {target:area}"),
    Form(o.Replace, "replace with none", {}, ("replace with nobody",)),
    Form(o.SwapDancer, "exchange dancer {leader:traitor}", {}, ("exchange face dancer {leader:traitor}",)),
    Form(commands.Status, "status"),
    Form(commands.ShowMap, "map"),
    Form(commands.ShowMap, "map {look:look}"),
    Form(commands.History, "history"),
    Form(commands.ExplainBattle, "explain battle"),
    Form(commands.ExplainBattle, "explain battle in {territory}", {}, ("explain battle {territory}",)),
    Form(commands.Rules, "rules"),
    Form(commands.Rules, "rules {word}"),
    Form(commands.ShowOrders, "orders"),
    Form(commands.ShowDeals, "deals", {}, ("my deals",)),
    Form(commands.Cancel, "cancel"),
    Form(commands.Cancel, "cancel {line}"),
    Form(commands.Help, "help"),
    Form(commands.Help, "help {word}"),
    Form(commands.Press, "press to {whom} : {text}", {}, ("press {whom} : {text}",)),
    Form(commands.Press, "press unsigned to {whom} : {text}", {"signed": False}, (
        "unsigned press to {whom} : {text}", "grey press to {whom} : {text}", "press grey to {whom} : {text}")),
    Form(commands.Press, "press signed to {whom} : {text}", {"signed": True}, ("signed press to {whom} : {text}",)),
    Form(commands.Press, "press to {whom} as to {shown} : {text}"),
    Form(commands.Press, "press to {whom} :", {"text": ""}, ("press {whom} :",), listed=False),
    Form(commands.PressWithoutEnd, "press without end : {text}", listed=False),
    Form(commands.PressToNobody, "press : {text}", {}, ("press to : {text}",), listed=False),
    Form(commands.PressToGameMaster, "press to gm : {text}", {}, (
        "press gm : {text}", "press to game_master : {text}", "press game_master : {text}",
        "press to the game_master : {text}")),
    Form(commands.SendAnyway, "send anyway"),
    Form(commands.Report, "report {number}"),
    Form(commands.Report, "report {number} : {why:text}", listed=False),
    Form(commands.Absent, "absent {first:date} to {last:last_day}", {}, (
        "absent from {first:date} to {last:last_day}", "absent {first:date} until {last:last_day}",
        "absent from {first:date} until {last:last_day}")),
    Form(commands.Absent, "absent {day:one_day}", listed=False),
    Form(commands.NoAbsence, "no absence"),
    Form(commands.Waking, "waking {hours:daytime}"),
    Form(commands.Letters, "letters all", {"mode": "all"}),
    Form(commands.Letters, "letters wanted", {"mode": "wanted"}),
    Form(commands.Letters, "letters daily", {"mode": "daily"}),
    Form(commands.Receipts, "letters receipts", {"wanted": True}),
    Form(commands.Receipts, "letters no receipts", {"wanted": False}),
    Form(commands.TimeZone, "timezone {zone:zone}", {}, ("time zone {zone:zone}",)),
    Form(commands.Extend, "extend {hours:number}", {}, (
        "extend {hours:number} hours", "extend by {hours:number} hours")),
    Form(commands.Resign, "resign"),
    Form(commands.VoteOnCaretaker, "caretaker {faction} steady", {"how": "steady"}, (
        "let mentat play {faction}", "let mentat play {faction} to win", "mentat should play {faction}",
        "let an opponent play {faction}", "let mentat take over {faction}", "caretaker {faction} to win")),
    Form(commands.VoteOnCaretaker, "caretaker {faction} sharp", {"how": "sharp"}),
    Form(commands.VoteOnCaretaker, "caretaker {faction} careful", {"how": "careful"}, (
        "let the caretaker play {faction}", "let mentat play {faction} cautiously",
        "let mentat play {faction} carefully")),
    Form(commands.VoteOnCaretaker, "caretaker {faction} no", {"how": ""}),
    Form(commands.ShowAddresses, "address", {}, ("addresses",)),
    Form(commands.AddAddress, "address add {address:address}"),
    Form(commands.UseAddress, "address use {address:address}"),
    Form(commands.RemoveAddress, "address remove {address:address}"),
    Form(commands.ShowArchiveName, "archive"),
    Form(commands.ArchiveName, "archive name {name:archive_name}"),
    Form(commands.ArchiveListed, "archive listed yes", {"listed": True}),
    Form(commands.ArchiveListed, "archive listed no", {"listed": False}, ("archive not listed",)),
    Form(commands.FalseReaders, "false readers yes", {"agreed": True}),
    Form(commands.FalseReaders, "false readers no", {"agreed": False}),
    Form(commands.ArchivePress, "archive press yes", {"shown": True}),
    Form(commands.ArchivePress, "archive press no", {"shown": False}),
    Form(commands.ShowRating, "rating"),
    Form(commands.RatingPrivate, "rating private", {"private": True}),
    Form(commands.RatingPrivate, "rating public", {"private": False}),
    Form(commands.ShowForum, "forum"),
    Form(commands.ForumName, "forum name {name:forum_name}"),
    Form(commands.ForumOff, "forum off"),
    Form(commands.AskForSitter, "sitter {address:one_address} until {until:date}", {}, (
        "sitter {address:one_address} to {until:date}",)),
    Form(commands.SitterOff, "sitter off", {}, ("no sitter",)),
    Form(commands.Freeze, "freeze", {}, ("that was not me", "that wasn't me")),
)  # fmt: skip


def _defaults(kind: type[Order] | type[MailCommand]) -> Mapping[str, Any]:
    names, values = kind.__struct_fields__, kind.__struct_defaults__
    return {
        **dict.fromkeys(names, msgspec.NODEFAULT),
        **dict(zip(names[len(names) - len(values) :], values, strict=True)),
    }


_DEFAULTS = {kind: _defaults(kind) for kind in {form.makes for form in FORMS}}

_FORMS_OF: dict[type[Order] | type[MailCommand], list[Form]] = {}
for _form in FORMS:
    _FORMS_OF.setdefault(_form.makes, []).append(_form)


def write(written: Written) -> str:
    """Write an order in canonical words, which read back as the same order.

    >>> write(Move(Forces(3), Area("carthag/11"), Area("imperial-basin/10")))  # doctest: +SKIP
    'move 3 from Carthag to Imperial Basin/10'
    """
    for form in _FORMS_OF[type(written)]:
        values = form.values(written)
        if values is not None:
            return form.filled(partial(_written, values))
    raise ValueError(f"no form can hold {written!r}")


def _written(values: Mapping[str, Any], blank: Blank) -> str:
    if blank.slot_name in SPREAD:
        return blank.slot.write({name: values[name] for name in blank.fields})
    return blank.slot.write(values[blank.field])


def answer_forms(kind: QuestionKind) -> tuple[Form, ...]:
    return tuple(form for form in FORMS if kind in form.kinds and form.read)
