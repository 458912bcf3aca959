"""The engine: it starts games, accepts orders, lets deadlines expire, takes snapshots and replays games.

Theory of operation:

A game consists of its rule set, its seats, its seed and its *log*: the list of accepted entries. Everything else can be
computed from these; the same log gives the same events, byte for byte.

The flows run on a small stack. At the bottom is the flow of the phase. A card or power that is played while the phase
waits at a stop has a flow of its own, which runs on top of the stack. When that flow ends, the stop below rebuilds its
questions from the changed position. A held order waits for the first question of its phase that it can answer.
``submit``, ``expire`` and ``begin_phase`` run the game until it must wait for a player's answer or the phase is over
(``settle``). ``advance`` then begins one phase after another until there is a question. These steps are separate so
that a ruling can examine the position exactly between two phases.

A generator can be neither copied nor stored. So a snapshot holds the state at the start of a phase. To resume a game,
the engine takes the snapshot and replays the log entries since then, which belong to at most one phase.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Literal, Self, cast

import msgspec

from rules.cards import promises
from rules.chapters import deals
from rules.chapters.victory import end_without_play, last_turn
from rules.components import Faction
from rules.decisions.catalogue import carry_out_play, catalogue_of, check_play, is_unseen
from rules.decisions.early_orders import not_in_this_game, orders_still_held
from rules.decisions.question import Count, Flow, Question, Stop
from rules.engine import log, turn
from rules.orders import ANSWERS, STANDING, AnyOrder, Key, Order, PhaseName, Show, Waive
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event
from rules.state.game import Game
from rules.state.state import State

_state_encoder = msgspec.msgpack.Encoder()  # keeps the order of tables: players by dot, forces by arrival
_state_decoder = msgspec.msgpack.Decoder(State)


class Play:
    __slots__ = (
        "_count", "_flows", "_serial", "_stops", "before", "entries_before", "game", "log", "phase_over", "snapshot",
        "state",
    )  # fmt: skip

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        self.game = Game(rules, seed, state)
        self.state = state
        """The position. Read it through ``rules.views`` for anything that a player will see."""
        self._flows: list[Flow] = []
        self._stops: list[Stop] = []
        self._serial = 0
        self._count = Count()
        self.log: list[log.Entry] = []
        self.before: list[log.Before] = []
        """The state of the game before each entry of ``log``; the events of an entry begin there."""
        self.entries_before = entries_before
        self.phase_over = True
        self.snapshot = self._take_snapshot()

    # --- start ---------------------------------------------------------------------------------------------------

    @classmethod
    def start(cls, rules: RuleSet, seed: str, seats: dict[Faction, int]) -> Self:
        """Start a new game and run it to its first stop. ``seats`` gives the player dot of each faction."""
        play = cls(rules, seed, turn.opening_state(rules, seats))
        play.begin_phase(turn.phases(rules)[0])
        play.advance()
        return play

    @classmethod
    def resume(cls, rules: RuleSet, seed: str, snapshot: log.Snapshot, entries: Iterable[log.Entry]) -> Play:
        """Resume a game from its last snapshot and the log entries since then. ``events`` then begins with the first
        event of that phase."""
        state = _state_decoder.decode(snapshot.state)
        play = cls(rules, seed, state, snapshot.entries)
        play.begin_phase(state.phase)
        play.advance()
        play.replay(entries)
        return play

    def replay(self, entries: Iterable[log.Entry]) -> None:
        """Apply log entries again. Raise ValueError if an entry is no longer accepted as it was before."""
        for entry in entries:
            match entry:
                case log.Submitted(faction, orders):
                    for outcome in self.submit(faction, orders):
                        if outcome.refusal:
                            raise ValueError(
                                f"entry {self.entries_before + len(self.log)}: {outcome.order} was accepted and is now "
                                f"refused: {outcome.refusal.reason}"
                            )
                case log.Expired(keys):
                    self.expire(keys)
                case log.Withdrawn(faction, order):
                    self.withdraw(faction, order)
                case log.LastTurn(last):
                    self.announce_last_turn(last)
                case log.Stopped(how, winners):
                    self.stop(how, winners)
                case log.Corrected(put_right):
                    self.correct(put_right)
            self.advance()

    def forget_past_phases(self) -> None:
        """Drop the log entries before the last snapshot, as if the game had been resumed from that snapshot."""
        past = self.snapshot.entries - self.entries_before
        del self.log[:past], self.before[:past]
        self.entries_before += past

    # --- inspection ----------------------------------------------------------------------------------------------

    @property
    def events(self) -> list[Event]:
        return self.game.events

    @property
    def so_far(self) -> log.Before:
        state = self.state
        return log.Before(state.turn, state.phase, state.events, self.game.drawn)

    @property
    def over(self) -> bool:
        return self.state.phase == "over"

    def questions(self) -> list[Question]:
        return self._stops[-1].waiting if self._stops else []

    @property
    def stop_names(self) -> list[str]:
        """Return the names of the open stops, for example "4.bidding.7". Each name is used only once in a game. Only
        the questions of the last stop can be answered now; the earlier stops wait until a card or power that was played
        at them has been carried out."""
        return [f"{self.state.turn}.{self.state.phase}.{stop.serial}" for stop in self._stops]

    def asked(self) -> list[Question]:
        return list(self._stops[-1].open.values()) if self._stops else []

    def number_of(self, question: Question) -> int:
        """Return the sequence number of an open question among the questions of the same kind to the same faction in
        this phase."""
        return self._stops[-1].numbers[question.key]

    @property
    def stop_name(self) -> str:
        return self.stop_names[-1] if self._stops else ""

    def given(self) -> list[tuple[Question, tuple[Order, ...]]]:
        if not self._stops:
            return []
        stop = self._stops[-1]
        return [(stop.open[key], orders) for key, orders in stop.given.items()]

    def open_stops(self) -> list[list[tuple[Question, tuple[Order, ...]]]]:
        """Return the questions of each open stop, with the orders that answer them so far. Only the questions of the
        last stop can be answered now."""
        return [[(question, stop.given.get(key, ())) for key, question in stop.open.items()] for stop in self._stops]

    def answered(self) -> list[tuple[Question, tuple[Order, ...]]]:
        return [(question, orders) for question, orders in self.given() if self._stops[-1].is_answered(question.key)]

    # --- orders --------------------------------------------------------------------------------------------------

    def submit(self, faction: Faction, orders: Sequence[Order]) -> list[log.Outcome]:
        """Accept, hold or refuse each order of one message, and let the phase continue.

        The orders of one message that answer open questions are judged together, whatever their order in the message.

        >>> play.submit("guild", [Pass()])  # doctest: +SKIP
        [Outcome(order=Pass(), status='accepted', refusal=None)]
        """
        fresh: set[Key] = set()
        held: list[Order] = []
        before = self.so_far  # a card or power with immediate effect is carried out before its entry is logged
        outcomes = [self._take(faction, order, fresh, held) for order in orders]
        for place, outcome in enumerate(outcomes):
            if outcome.status == "refused" and self._answered_beside(faction, outcome.order, fresh):
                outcomes[place] = self._take(faction, outcome.order, fresh, held)
        kept = tuple([cast(AnyOrder, o.order) for o in outcomes if o.status != "refused"])
        if kept:
            self._note(log.Submitted(faction, kept), before)
            self.settle()
        return outcomes

    def check(self, faction: Faction, order: Order) -> log.Outcome:
        """Return the result that this order would have if it were submitted now. Nothing is changed."""
        return self._judge(faction, order)[0]

    def _judge(self, faction: Faction, order: Order) -> tuple[log.Outcome, Question | None]:
        if not self._stops:
            return self._refused(order, turn.refusal_between_stops(self.game)), None
        if isinstance(order, Waive):
            return log.Outcome(order, "accepted"), None
        if stranger := not_in_this_game(self.game, order):
            return self._refused(order, stranger), None
        if type(order) not in ANSWERS:
            return self._judge_play(faction, order), None
        refusal = None
        for question in self._questions_for(faction, order):
            refusal = question.refusal(order)
            if refusal is None:
                warnings = question.warnings(order)
                cited = tuple([one.cited(self.game.rules) for one in warnings]) if warnings else ()
                return log.Outcome(order, "accepted", warnings=cited), question
        if refusal is None and self._may_come_early(faction, order):
            return log.Outcome(order, "accepted"), None
        refusal = refusal or turn.refusal_ahead(self.game, faction, order) or promises.forbid(self.game, faction, order)
        if refusal:
            return self._refused(order, refusal), None
        doubt = turn.doubt_ahead(self.game, faction, order)
        return log.Outcome(order, "held", warnings=(doubt.cited(self.game.rules),) if doubt else ()), None

    def _may_come_early(self, faction: Faction, order: Order) -> bool:
        early = catalogue_of(self.game).early.get(type(order))
        return early is not None and not self._stops[-1].frozen and early.refusal(self.game, faction, order) is None

    def _judge_play(self, faction: Faction, order: Order) -> log.Outcome:
        if self._stops[-1].frozen and not isinstance(order, Show):  # talk goes on (WBC.AID.5)
            why = "Nothing else can be played until the open question is answered."
            return self._refused(order, Refusal(why, "truthtrance.nothing-in-between"))
        refusal = check_play(self.game, faction, order) or promises.forbid(self.game, faction, order)
        return self._refused(order, refusal) if refusal else log.Outcome(order, "accepted")

    def _refused(self, order: Order, refusal: Refusal) -> log.Outcome:
        return log.Outcome(order, "refused", refusal.cited(self.game.rules))

    def expire(self, keys: Iterable[Key] | None = None) -> tuple[Key, ...]:
        """Apply the defaults of these open questions, or of all open questions if ``keys`` is None, because their time
        is up. Return the keys of the questions."""
        waiting = {question.key: question for question in self.questions()}
        due = tuple([key for key in (waiting if keys is None else keys) if key in waiting])
        if due:
            stop = self._stops[-1]
            self._note(log.Expired(due), self.so_far)
            for key in due:
                question = waiting[key]
                if question.at_once:
                    self._run(question.carry_out(question.default))
                else:
                    stop.add(question, [question.default])
            self.settle()
        return due

    def _questions_for(self, faction: Faction, order: Order) -> list[Question]:
        stop = self._stops[-1]
        fitting = [question for key, question in stop.open.items() if key[0] == faction and question.fits(order)]
        return sorted(fitting, key=lambda one: one.key in stop.given) if len(fitting) > 1 else fitting

    def _in_window(self, faction: Faction) -> Question | None:
        if self._stops:
            for question in self._stops[-1].open.values():
                if question.faction == faction and question.kind == "karama-window":
                    return question
        return None

    def _take(self, faction: Faction, order: Order, fresh: set[Key], held: list[Order]) -> log.Outcome:
        outcome, question = self._judge(faction, order)
        if outcome.status == "refused":
            return outcome
        if isinstance(order, Waive):
            self.state.waivers[faction] = order.until
        elif outcome.status == "held":
            self._hold(faction, order, held)
            held.append(order)
        elif question is not None and question.at_once:
            self._run(question.carry_out(order))
        elif question is not None:
            self._answer(question, order, fresh)
            if isinstance(order, STANDING):
                self._hold(faction, order)
        elif early := catalogue_of(self.game).early.get(type(order)):
            self._run(early.carry_out(self.game, faction, order))
        elif (window := self._in_window(faction)) and not is_unseen(self.game, order):
            self._answer(window, order, fresh)
        else:
            self._run(carry_out_play(self.game, faction, order))
        return outcome

    def _answered_beside(self, faction: Faction, order: Order, fresh: Collection[Key]) -> bool:
        """Return whether other lines of the message answer the same question as this order. If they do, an order that
        was refused may become legal because of a later line."""
        if not fresh or not self._stops:
            return False
        return any(question.many and question.key in fresh for question in self._questions_for(faction, order))

    def _answer(self, question: Question, order: Order, fresh: set[Key]) -> None:
        """Record the answer. It replaces an earlier one, but orders of the same message that can apply together are all
        kept."""
        given, key = self._stops[-1].given, question.key
        earlier = given.get(key, ())
        if earlier and not (question.many and key in fresh):
            earlier = tuple(other for other in earlier if question.stays_beside(other, order))
        given[key] = self.game.filed[key] = (*earlier, order)
        fresh.add(key)
        if question.leads_on:
            self._stops[-1].rebuild()

    def _hold(self, faction: Faction, order: Order, of_this_message: Sequence[Order] = ()) -> None:
        """Hold the order for later. It replaces an earlier order for the same decision, but lines of the same message
        that can apply together are all kept."""
        self.game.keep_held(faction, [*orders_still_held(self.game, faction, order, of_this_message), order])

    def withdraw(self, faction: Faction, order: Order | None = None) -> list[Order]:
        held = self.game.held.get(faction, [])
        gone = [other for other in held if order is None or other == order]
        if gone:
            self.game.keep_held(faction, [other for other in held if other not in gone])
        for play in catalogue_of(self.game).plays.values():
            filed = play.said_ahead(self.game, faction)
            if filed is not None and order in (None, filed):
                play.take_back(self.game, faction)
                gone.append(filed)
        if gone:
            self._note(log.Withdrawn(faction, cast(AnyOrder | None, order)), self.so_far)
        return gone

    def said_ahead(self, faction: Faction) -> list[Order]:
        plays = catalogue_of(self.game).plays.values()
        return [order for play in plays if (order := play.said_ahead(self.game, faction)) is not None]

    # --- decisions of the game master ----------------------------------------------------------------------------

    def announce_last_turn(self, last: int) -> None:
        """Announce that turn ``last`` will be the last: if it ends without a winner, the rules for the last turn decide
        the game. Raise ValueError, with a readable message, if that turn is already over or is not earlier than the
        current last turn."""
        now, so_far = self.state.turn, last_turn(self.game)
        if self.over:
            raise ValueError("The game is over.")
        if last < now:
            raise ValueError(f"Turn {last} is already over; the game is in turn {now}.")
        if last >= so_far:
            raise ValueError(f"Turn {so_far} is already the last; you can announce only an earlier one.")
        self._note(log.LastTurn(last), self.so_far)
        self.state.last_turn = last
        self.game.tell("last-turn", turn=last)

    def correct(self, put_right: Sequence[log.Correction]) -> None:
        """Correct facts of the position, and announce the public part of the correction.

        The open questions are asked again from the new position, and answers that are still legal remain. Raise
        ValueError, with a readable message, if the game is over or the position does not allow a correction. If that
        happens, the caller must not use this play any more.
        """
        if self.over:
            raise ValueError("The game is over.")
        if not put_right:
            raise ValueError("There is nothing to correct.")
        self._note(log.Corrected(tuple(put_right)), self.so_far)
        private: dict[Faction, dict[str, list[str]]] = {}
        for correction in put_right:
            log.apply_correction(self.game, correction)
            for owner in log.owners_of_correction(correction):
                private.setdefault(owner, {"own": []})["own"].append(log.write_correction(correction))
        public = [log.write_correction(each) for each in put_right if not log.owners_of_correction(each)]
        self.game.tell("corrected", changes=public, private=private)
        if self._stops:
            self._stops[-1].rebuild()
        self.settle()

    def stop(self, how: Literal["agreed", "adjudicated", "void"], winners: Sequence[Faction] = ()) -> None:
        """End the game now. Raise ValueError, with a readable message, if the game is already over, if a winner is
        not playing in it, if a void game has winners, or if any other game has none."""
        if self.over:
            raise ValueError("The game is over.")
        if (how == "void") == bool(winners):
            raise ValueError("A void game has no winners." if winners else f"A game that is {how} must have winners.")
        if strangers := [faction for faction in winners if faction not in self.state.players]:
            raise ValueError(f"Nobody plays {', '.join(strangers)} in this game.")
        self._note(log.Stopped(how, tuple(winners)), self.so_far)
        end_without_play(self.game, tuple(winners), how)
        self._flows, self._stops, self.phase_over = [], [], True

    def _note(self, entry: log.Entry, before: log.Before) -> None:
        self.log.append(entry)
        self.before.append(before)

    # --- running -------------------------------------------------------------------------------------------------

    def begin_phase(self, phase: PhaseName) -> None:
        if self.state.promises:
            promises.notice(self.game)
        self.state.phase = phase
        self.snapshot = self._take_snapshot()
        self.game.enter(phase)
        self._flows = [turn.flow(self.game, phase)]
        self._stops = []
        self._serial = 0
        self._count = Count()
        self.phase_over = False
        self._run_to_stop()
        self.settle()

    def _take_snapshot(self) -> log.Snapshot:
        state, entries = self.state, self.entries_before + len(self.log)
        return log.Snapshot(_state_encoder.encode(state), state.turn, state.phase, entries, state.events)

    def advance(self) -> None:
        while self.phase_over and not self.over:
            self.begin_phase(turn.after(self.game))

    def settle(self) -> None:
        """Run the game until it must wait for a player's answer or the phase is over. Every method of this class that
        changes the game does this. Code that changes the position from outside must call it."""
        while self._stops:
            stop = self._stops[-1]
            if stop.waits and not self._answered_ahead(stop):
                return
            if self.state.promises and promises.settle(self.game, stop):
                continue
            self._stops.pop()
            self._run_to_stop()

    def _run(self, flow: Flow) -> None:
        self._flows.append(flow)
        self._run_to_stop()

    def _complete(self, build: Callable[[], Sequence[Question]]) -> Sequence[Question]:
        game = self.game
        questions = promises.bind(game, build) if game.state.promises else build()
        if game.state.offers:
            return [*questions, *catalogue_of(game).offers(game)]
        return questions

    def _run_to_stop(self) -> None:
        """Run the flow on top of the stack to its next stop that has questions. If the flow ends, the stop below
        rebuilds its questions. A stop without questions is passed at once, but it is counted, so that the names of
        stops do not depend on which questions there are."""
        flow = self._flows[-1]
        while True:
            try:
                stop = next(flow)
            except StopIteration:
                if self.state.deals and not self.over:
                    deals.look_at_deals(self.game)
                self._flows.pop()
                if not self._flows:
                    self.phase_over = True
                    return
                self._stops[-1].rebuild()
                return
            if self.state.deals:
                deals.look_at_deals(self.game)
            if not stop.frozen:
                stop.build = partial(self._complete, stop.build)
            self._serial += 1
            stop.begin(self._serial, self._count)
            if stop.open:
                self._stops.append(stop)
                return

    def _answered_ahead(self, stop: Stop) -> bool:
        if self.state.waivers or self.game.held:
            self._answer_ahead(stop)
            return not stop.waits
        return False

    def _answer_ahead(self, stop: Stop) -> None:
        """Answer as many questions as possible from held orders and waivers, without asking the players. An offer can
        be declined ahead but not accepted, because a player can accept only an offer that they have seen."""
        for question in stop.waiting:
            if question.waived:
                continue
            faction = question.faction
            fitting = [o for o in self.game.held.get(faction, ()) if question.fits(o) and question.refusal(o) is None]
            if question.at_once:
                if question.default in fitting:
                    self.game.take_held(faction, question.default)
                    self._run(question.carry_out(question.default))
                    return
            elif fitting:
                used = tuple(fitting) if question.many else tuple(fitting[:1])
                self.game.filed[question.key] = stop.add(question, used)
                held = self.game.held[faction]
                self.game.keep_held(faction, [o for o in held if o not in used or isinstance(o, STANDING)])
                if question.leads_on:
                    stop.rebuild()
                    self._answer_ahead(stop)
                    return
            elif question.blanket and faction in self.state.waivers:
                stop.given[question.key] = (question.default,)
