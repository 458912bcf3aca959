"""Commands that only ask for something: status, map, history, rules, orders, deals, help, press to gm, archive name,
rating.

They do not change the game. The exception is `cancel`, which withdraws held orders and takes effect in its place among
the orders of a mail (``bot.moderator.order_lines``). Commands about time and seats (absence, more time, resigning) are
in ``bot.games.requests``.

``help`` on its own says, in about ten lines, what its sender can do now, with examples from the position. It is based
on the questions to the sender and on what the sender knows. If only hidden cards decide who can act, everybody gets the
same examples (``bot.render.questions``). ``deals`` lists the sender's own deals, and the open offers that they made or
received.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

from bot.competition.ratings import RANKED_FROM, uncertainty
from bot.competition.statistics import shown_reliability
from bot.config.time_zones import zone_named
from bot.language.commands import (
    Absent,
    ArchiveListed,
    ArchiveName,
    ExplainBattle,
    Help,
    History,
    MailCommand,
    PressToGameMaster,
    RatingPrivate,
    Rules,
    ShowArchiveName,
    ShowDeals,
    ShowMap,
    ShowOrders,
    ShowRating,
    Status,
)
from bot.language.condition_lines import condition_forms, public_condition_forms
from bot.language.lines import unfold_press
from bot.language.mail_lines import read_any
from bot.language.orders import Unread, form_lines, help_for, write
from bot.language.sheets import SheetLine
from bot.render.board import Look
from bot.render.letters import archive_paragraphs
from bot.render.material import AnswerWanted, CommandAnswer
from bot.render.news import event_sentence
from bot.render.questions import orders_to_offer, short_question
from bot.store import deadlines, people, ratings
from bot.store.database import Connection
from bot.table.lines import active_lines, reading_context, withdraw_lines
from bot.table.press import names_hidden, settings_of
from bot.table.table import Table
from bot.wording import deadline, say
from bot.wording.filters import order_as_spoken
from rules.chapters.deals import spice_owed
from rules.components import Faction
from rules.components.board import TerritoryId
from rules.decisions.question import Question
from rules.orders import Deal as Offered
from rules.orders import Order
from rules.orders.readings import as_facts
from rules.rulesets.rulebook import find
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event, Viewer
from rules.state.state import Deal, Offer, State
from rules.views import view

MOST_CLAUSES = 8
ASKS_FOR_CONDITIONS = ("when", "if", "unless", "condition", "conditions")
ASKS_FOR_DEALS = ("deals", "deal conditions")
ASKS_FOR_EVERYTHING = ("all", "everything", "orders")
_STANDING = re.compile(r"\s*(?:all )?standing(?: orders?| lines?)?\s*:?\s*", re.IGNORECASE)
MOST_HISTORY = 60  # in sentences, which is about a turn and a half


def answer_command(
    table: Table, faction: Faction, command: MailCommand, happened: Callable[[], Sequence[Event]]
) -> CommandAnswer:
    match command:
        case Status():
            return CommandAnswer("done", say("command.status"))
        case ShowMap(look):
            return _map(table, faction, look)
        case History():
            return CommandAnswer("done", history_words(faction, happened()))
        case ExplainBattle(territory):
            return CommandAnswer("done", explain_battles(faction, happened(), territory))
        case Rules(word):
            return CommandAnswer("done", _rules(word, table.play.game.rules))
        case ShowOrders():
            return CommandAnswer("done", _orders(table, faction))
        case ShowDeals():
            return CommandAnswer("done", deals_of(table.play.state, faction))
        case Help(word):
            return _help(word) if word else CommandAnswer("done", help_now(table, faction, table.now))
        case PressToGameMaster(text):
            address = "" if names_hidden(table) else table.seats[faction].address
            told = say("press-to.for-game-master", faction=faction, address=address, text=unfold_press(text))
            return CommandAnswer("done", say("press-to.game-master"), for_game_master=told)
    raise TypeError(f"{command} is not a command about the mail")


def _map(table: Table, faction: Faction, look: str) -> CommandAnswer:
    seat = table.seats[faction]
    if look:
        seat.pictures = Look.of(seat.pictures).but(look).words
        table.touched.add(faction)
    return CommandAnswer("done", say("command.map-from-now" if look else "command.map"))


def history_words(viewer: Viewer, happened: Sequence[Event]) -> str:
    lines: list[str] = []
    where = ("", "")
    for event in [event for event in happened if event.visible_to(viewer)][-MOST_HISTORY:]:
        told = event_sentence(event.kind, event.facts, event.told_to(viewer))
        if told and where != (where := (str(event.turn), event.phase)):
            lines.append(say("history.phase", turn=event.turn, phase=event.phase))
        if told:
            lines.append(f"  {told}")
    return "\n".join(lines) or say("history.nothing")


def explain_battles(faction: Faction, happened: Sequence[Event], territory: TerritoryId | None = None) -> str:
    """Explain, with the calculation, how a faction's last battles, or its battles in one territory, were decided, as
    that faction saw them."""
    battles: list[list[Event]] = []
    for event in happened:
        if event.kind == "battle-begins":
            battles.append([event])
        elif battles and event.visible_to(faction) and _when(event) == _when(battles[-1][0]):
            battles[-1].append(event)

    def is_meant(battle: Sequence[Event]) -> bool:
        facts = battle[0].facts
        return facts["territory"] == territory if territory else faction in (facts["aggressor"], facts["defender"])

    meant = [battle for battle in battles if is_meant(battle)]
    newest = [battle for battle in meant if _when(battle[0]) == _when(meant[-1][0])]
    return "\n".join(line for battle in newest for line in _reckoned(battle, faction)) or say("battle-told.none")


def _when(event: Event) -> tuple[int, str]:
    return event.turn, event.phase


def _reckoned(battle: Sequence[Event], faction: Faction) -> Iterator[str]:
    yield say("history.phase", turn=battle[0].turn, phase=battle[0].phase)
    plans: dict[str, Any] = {}
    for event in battle:
        told = event_sentence(event.kind, event.facts, event.told_to(faction))
        if event.kind == "plans-revealed":
            plans = {plan["faction"]: plan for plan in event.facts["plans"]}
        totals = event.facts.get("totals") if event.kind == "battle-won" else None
        if totals and set(totals) <= set(plans):
            sides = [
                {**plans[side], "total": total, "worth": total - plans[side]["dial"]} for side, total in totals.items()
            ]
            yield f"  {say('battle-told.reckoning', sides=sides)}"
        if told:
            yield f"  {told}"


def _side(plan: dict[str, Any], total: float) -> dict[str, Any]:
    return {**plan, "total": total, "worth": total - plan["dial"]}


def _help(word: str) -> CommandAnswer:
    everything = word.lower() in ASKS_FOR_EVERYTHING
    if word.lower() in ASKS_FOR_DEALS:
        return CommandAnswer("done", "\n".join([say("help.deals"), *public_condition_forms()]))
    forms = condition_forms() if word.lower() in ASKS_FOR_CONDITIONS else help_for("" if everything else word)
    if not forms:
        return CommandAnswer("refused", say("help.nothing", word=word))
    return CommandAnswer("done", "\n".join(forms))


def _rules(word: str, rules: RuleSet) -> str:
    if not word:
        return say("rules.no-word")
    found = find(word)
    if not found:
        return say("rules.nothing", word=word)
    ours = [clause for clause in found if rules.standing.includes(clause)]
    ours.sort(key=lambda clause: rules.books.index(clause.book) if clause.book in rules.books else len(rules.books))
    clauses = ours or found
    shown = [f"{clause.id}: {clause.rule}" for clause in clauses[:MOST_CLAUSES]]
    more = len(clauses) - len(shown)
    other = [] if ours else [say("rules.other-books", ruleset=rules.title)]
    return "\n".join(other + shown + ([say("rules.more", more=more)] if more else []))


def _orders(table: Table, faction: Faction) -> str:
    play = table.play
    given = [
        f"{order_as_spoken(write(order))}  {say('own-orders.answered')}"
        for question, orders in play.given()
        if question.faction == faction
        for order in orders
    ]
    later = [*play.game.held.get(faction, ()), *play.said_ahead(faction)]
    held = [f"{order_as_spoken(write(order))}  {say('own-orders.held')}" for order in later]
    return "\n".join(given + held + active_lines(table, faction)) or say("own-orders.nothing")


def cancel_lines(table: Table, faction: Faction, line: str, today: date) -> CommandAnswer:
    """Withdraw a held order or a line of the sheet, or everything if ``line`` is empty."""
    if _STANDING.fullmatch(line):
        return _cancel_standing(table, faction)
    if not line:
        gone = [*map(write, table.play.withdraw(faction)), *withdraw_lines(table, faction)]
    else:
        match read_any(line, reading_context(table.play, faction, today)):
            case Unread(reason):
                return CommandAnswer("refused", reason)
            case SheetLine() as filed:
                gone = withdraw_lines(table, faction, filed)
            case Order() as order:
                held = [write(order) for order in table.play.withdraw(faction, order)]
                active = sheet.active() if (sheet := table.sheets.get(faction)) else ()
                filed_once = [filed.line for filed in active if filed.line.order == order and filed.line.times == 1]
                sheet_lines = [SheetLine(order), *filed_once]
                gone = held + [text for filed in sheet_lines for text in withdraw_lines(table, faction, filed)]
            case Absent():
                return CommandAnswer("refused", say("cancel.absence"))
            case _:
                gone = []
    if not gone:
        return CommandAnswer("refused", say("cancel.nothing"))
    return CommandAnswer("done", say("cancel.taken-back", orders=gone))


def _cancel_standing(table: Table, faction: Faction) -> CommandAnswer:
    """List the standing lines, each with the command that withdraws it, because ``cancel standing`` could mean one line
    or all of them."""
    sheet = table.sheets.get(faction)
    standing = [f"cancel {filed.text}" for filed in (sheet.active() if sheet else ()) if filed.line.standing]
    if not standing:
        return CommandAnswer("refused", say("cancel.none-stands"))
    return CommandAnswer("refused", "\n".join((say("cancel.which"), *standing)))


MOST_QUESTIONS = 2
MOST_EXAMPLES = 3  # how many examples of answers to one question are given


def help_now(table: Table, faction: Faction, now: datetime) -> str:
    open_now = [question for question in table.play.questions() if question.faction == faction]
    told = [line for question in open_now[:MOST_QUESTIONS] for line in _help_with_question(table, question, now)]
    if len(open_now) > MOST_QUESTIONS:
        told.append(say("help-now.more-questions", more=len(open_now) - MOST_QUESTIONS))
    if not open_now:
        told.append(say("help-now.nothing-over" if table.play.over else "help-now.nothing"))
    if not table.play.over:
        told.append(say("help-now.ahead", examples=list(_lines_for_later(table, faction))))
    return "\n".join([*told, say("help-now.always"), say("help-now.on")])


def _help_with_question(table: Table, question: Question, now: datetime) -> Iterator[str]:
    wanted = AnswerWanted(
        question.kind, question.subject, question.facts, None, order_as_spoken(write(question.default)), ()
    )
    due = table.due(question)
    until = deadline(due, now, zone_named(table.seats[question.faction].timezone)) if due and due > now else ""
    yield say("help-now.wanted", what=short_question(wanted, question.faction), until=until)
    for line in islice(_examples(question), MOST_EXAMPLES):
        yield say("help-now.example", line=line)


def _examples(question: Question) -> Iterator[str]:
    seen: set[type[Order]] = set()
    for order in orders_to_offer(question):
        if type(order) not in seen:
            seen.add(type(order))
            yield order_as_spoken(write(order))
    begun = {_first_word(order_as_spoken(write(order))) for order in orders_to_offer(question)}
    yield from (line for line in form_lines(question.kind) if _first_word(line) not in begun)


def _first_word(line: str) -> str:
    return line.split()[0]


def _lines_for_later(table: Table, faction: Faction) -> Iterator[str]:
    seen = view(table.play, faction)["players"]
    yield say("help-now.bid-ahead", most=max(1, min(5, seen[faction]["spice"])))
    other = next(other for other in seen if other != faction)
    leader = next((leader for leader, status in seen[faction]["leaders"].items() if status == "ready"), None)
    if leader:
        yield say("help-now.plan-ahead", other=other, leader=leader)


def deals_of(state: State, faction: Faction) -> str:
    made = [_made_deals(deal, faction) for deal in state.deals if faction in deal.parties]
    waiting = list(_offered_deals(state.offers, faction))
    return "\n".join(made + waiting) or say("own-deals.nothing")


def _made_deals(deal: Deal, faction: Faction) -> str:
    terms = deal.terms
    (other,) = (party for party in deal.parties if party != faction)
    return say(
        "own-deals.made",
        turn=deal.turn,
        other=other,
        text=deal.text,
        secret=bool(terms and terms.secret),
        condition=as_facts(terms.condition) if terms else None,
        broken_if=as_facts(terms.broken_if) if terms else None,
        escrow=dict(terms.escrow) if terms else {},
        until=terms.until if terms else 0,
        stage=terms.stage if terms else "due",
        pays={payer: amount for payer in deal.parties if (amount := spice_owed(deal, payer))},
    )


def _offered_deals(offers: list[Offer], faction: Faction) -> Iterator[str]:
    for offer in offers:
        order = offer.order
        if isinstance(order, Offered) and faction in (offer.giver, order.faction):
            text = " ".join(order.text.split())
            yield say("own-deals.offered", giver=offer.giver, receiver=order.faction, text=text)


def answer_about_archive(
    conn: Connection, table: Table, faction: Faction, command: MailCommand
) -> CommandAnswer | None:
    own = table.seats[faction].address
    match command:
        case ShowArchiveName():
            named = people.pseudonym_of(conn, own)
            name = people.pseudonym_at(conn, table.id, faction)
            told = archive_paragraphs(
                table.policy, name, listed=bool(named and named.listed), press=settings_of(table).archived
            )
            return CommandAnswer("done", "\n".join(told))
        case ArchiveName(""):
            people.drop_pseudonym(conn, own)
            return CommandAnswer("done", say("archive-name.dropped", name=people.pseudonym_at(conn, table.id, faction)))
        case ArchiveName(name):
            if people.choose_pseudonym(conn, own, name):
                return CommandAnswer("done", say("archive-name.chosen", name=name))
            return CommandAnswer("refused", say("archive-name.taken"))
        case ArchiveListed(listed):
            named = people.set_listed(conn, own, listed)
            if named is None and listed:
                return CommandAnswer("refused", say("archive-name.no-name"))
            if named is None or not listed:
                return CommandAnswer("done", say("archive-name.not-listed"))
            return CommandAnswer("done", say("archive-name.listed", name=named.name))
    return None


def answer_about_rating(conn: Connection, table: Table, faction: Faction, command: MailCommand) -> CommandAnswer | None:
    own = table.seats[faction].address
    match command:
        case ShowRating():
            return CommandAnswer("done", _rating_lines(conn, own))
        case RatingPrivate(private):
            ratings.set_private(conn, ratings.person_of(conn, own), private)
            return CommandAnswer("done", say("own-rating.private" if private else "own-rating.public"))
    return None


def _rating_lines(conn: Connection, address: str) -> str:
    rated, had = ratings.of_person(conn, address), deadlines.duties_of(conn, address)
    said = say(
        "own-rating.rating",
        rating=round(rated.rating),
        uncertainty=uncertainty(rated.games),
        games=rated.games,
        enough=RANKED_FROM,
    )
    reliable = say("own-rating.reliability", reliability=shown_reliability(had.on_time, had.duties), duties=had.duties)
    return f"{said}\n{reliable}"
