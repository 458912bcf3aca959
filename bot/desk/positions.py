"""Roll a game back, or correct facts of its position.

A rollback cuts off the end of the log and replays the rest. The record keeps what was undone.

A correction is a log entry of a fixed form that can be replayed. It never creates or loses anything, and is announced
to everybody who may know of it. It can fix mistakes that a rollback cannot, such as a rule that was misread three turns
ago.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields

from bot.desk.powers import DeskRequest, PowerRefused, using, within
from bot.games import observers
from bot.games.notices import own_words
from bot.games.observers import is_hidden_event
from bot.games.open_games import OpenGames
from bot.render.news import event_sentence
from bot.store import acts, desk, forum_threads, games, memory, record, tournament_rounds
from bot.store.database import Connection
from bot.store.record import Rollback, log_of
from bot.store.tournaments import find_tournament as tournament_of
from bot.table import rounds
from bot.table.rounds import go_on
from bot.table.table import Table, TableBefore
from bot.wording import say
from bot.wording.filters import plural, speaking
from rules.components import Faction, faction_name
from rules.engine import log
from rules.engine.invariants import InvariantBroken, check_invariants
from rules.engine.play import Play


def entries_at(open_games: OpenGames, game_id: str, turn: int, phase: str) -> int:
    with within(open_games) as conn:
        if not games.exists(conn, game_id):
            raise games.UnknownGame(f"There is no game {game_id!r} here.")
        before = games.entries_before(conn, game_id, turn, phase)
    if before is None:
        raise PowerRefused(
            f"{game_id} did not stop in turn {turn}, {phase}; name a phase in which somebody was asked, like 4 battle."
        )
    return before


def roll_back(request: DeskRequest, entries: int, consent: Collection[Faction] = ()) -> Table:
    """Roll a game back to the point at which its log had this many entries, and tell everybody.

    Raise PowerRefused if the game is over: all its players have been told the seed, so they could foresee every shuffle
    and storm. In a rated tournament, also raise PowerRefused if a player has learnt something hidden since that point
    and did not ``consent``; in a blind game every player must consent. Raise ValueError if the log has fewer entries.
    """
    request.games.forget(request.game)
    with using(request, "rollback") as used:
        conn, old = used.conn, used.table
        if not 0 <= entries <= old.entries:
            raise ValueError(_too_few(request.game, old.entries))
        play = Play.start(old.play.game.rules, old.seed, {f: seat.dot for f, seat in old.seats.items()})
        play.replay(log_of(conn, request.game)[:entries])
        _require_consent(conn, old, play.state.events, consent)
        state = play.state
        taken_back = Rollback(request.now, entries, state.events, state.turn, state.phase, request.use.why)
        record.keep_dropped_entries(conn, request.game, record.add_rollback(conn, request.game, taken_back), entries)
        games.cut(conn, request.game, entries)
        desk.outdate_codes(conn, request.game)
        games.drop_held_lines(conn, request.game, list(old.seats))
        memory.forget(conn, [token for seat in old.seats.values() for token in seat.tokens])
        table = Table(
            request.game, old.ruleset, old.options, old.seed, play, old.seats, entries=entries, revision=old.revision,
            tempo=old.tempo, clock=old.clock, stopped_at=old.stopped_at, stopped_why=old.stopped_why,
            absences=old.absences, policy=old.policy, sheets=games.load_sheets(conn, request.game, old.seats),
            on_hold=old.on_hold, press=old.press, blind=old.blind,
            head=old.head, lines=old.lines, words_key=old.words_key,
        )  # fmt: skip
        for seat in table.seats.values():
            seat.told, seat.called = min(seat.told, play.state.events), ""
            seat.drawn = min(seat.drawn, play.state.events)
        table.now = request.now
        rounds.open_call(table)  # sheets filed since then have been withdrawn, so ask everybody again
        used.words = f"to turn {state.turn}, {state.phase}: {entries} of {plural(old.entries, 'entry')} kept"
        acts.log_act(conn, used.line(), game_id=request.game)
        record.add_rollback_line(conn, table, entries, request.use.why, request.now)
        used.session.save(table, recorded=True)
        games.ready_for_deputies(conn, table)
        before = TableBefore({}, state.turn, over=False)
        where = say("rollback.where", turn=state.turn, phase=state.phase)
        if not table.on_hold and not all(seat.has_player for seat in table.seats.values()):
            rounds.go_on(table, request.now)  # only this call lets Mentat answer for the seats that it plays
            used.session.save(table)
        paragraphs = [say("rollback.notice", where=where), say("rollback.sheets")]
        paragraphs += [say("rollback.on-hold")] if table.on_hold else []
        paragraphs += own_words(request.use.tell)
        used.session.writer.announce(table, say("rollback.subject", where=where), paragraphs)
        used.session.writer.answer(table, before)
        observers.follow_rollback(used.session, table)
        forum_threads.roll_back_thread(conn, request.game, play.state.events, state.turn, where)
        for each in fields(Table):  # the caller's table becomes the rolled-back game
            setattr(old, each.name, getattr(table, each.name))
    return table


def undo_rollback(request: DeskRequest) -> Table:
    """Restore every order that the last rollback cut off, and tell everybody. Raise PowerRefused if there was no
    rollback, if it has already been undone, or if anything has been decided since."""
    with using(request, "undo") as used:
        conn, table = used.conn, used.table
        last = next(reversed(record.rollbacks_of(conn, request.game)), None)
        if last is None or last.undone:
            raise PowerRefused(f"{request.game} was not rolled back; there is nothing to undo.")
        if table.entries != last.entries:
            raise PowerRefused(f"Decisions in {request.game} followed the rollback; it cannot be undone.")
        dropped = record.dropped_entries_of(conn, last.number)
        if not dropped:
            raise PowerRefused(f"The entries cut from the log of {request.game} are gone; it cannot be undone.")
        before = TableBefore.of(table)
        table.play.replay(dropped)
        record.undo_rollback(conn, last)
        desk.outdate_codes(conn, request.game)
        used.words = f"back again: {plural(len(dropped), 'entry')}"
        rounds.open_call(table)
        used.session.save(table)
        where = say("rollback.where", turn=table.play.state.turn, phase=table.play.state.phase)
        paragraphs = [say("rollback.undone", where=where), say("rollback.sheets"), *own_words(request.use.tell)]
        used.session.writer.announce(table, say("rollback.undone-subject", where=where), paragraphs)
        used.session.writer.answer(table, before)
        return table


@dataclass(frozen=True, slots=True)
class Preview:
    entries: int
    of: int
    public: tuple[str, ...]
    private: Mapping[Faction, tuple[str, ...]]


def preview_rollback(request: DeskRequest, entries: int) -> Preview:
    """Return what a rollback would undo, without changing the game. For a blind game, return only what everybody knows.

    The act log records that somebody looked at hidden facts. Raise PowerRefused if the game is over, or if this person
    is not allowed to roll it back. Raise ValueError if the log has fewer entries.
    """
    with using(request, "preview") as used:
        conn, table = used.conn, used.table
        if not 0 <= entries <= table.entries:
            raise ValueError(_too_few(request.game, table.entries))
        play = Play.start(table.play.game.rules, table.seed, {f: seat.dot for f, seat in table.seats.items()})
        play.replay(log_of(conn, request.game)[:entries])
        happened = games.events_of(conn, request.game, play.state.events)
        hidden = used.silent = games.is_blind(conn, request.game)
        used.words = f"from turn {play.state.turn}, {play.state.phase}"
    with speaking(table.play.game.rules.edition):
        public = [event_sentence(event.kind, event.facts, {}) for event in happened if event.audience is None]
        private = {
            faction: tuple(event_sentence(event.kind, event.facts, event.told_to(faction)) for event in own)
            for faction in table.seats
            if not hidden and (own := [event for event in happened if is_hidden_event(event, faction)])
        }
    return Preview(entries, table.entries, tuple(filter(None, public)), private)


def _too_few(game_id: str, entries: int) -> str:
    return f"The log of {game_id} has {plural(entries, 'entry')}; you cannot keep more than that."


def _require_consent(conn: Connection, table: Table, events: int, consent: Collection[Faction]) -> None:
    seated = tournament_rounds.table_of_game(conn, table.id)
    if seated is None or not tournament_of(conn, seated.tournament_id).settings.rated:
        return
    happened = games.events_of(conn, table.id, events)
    if games.is_blind(conn, table.id):
        if happened and any(faction not in consent for faction in table.seats):
            raise PowerRefused(
                f"{table.id} is rated and played blind, so nobody may know who has learnt something sealed. Ask "
                "everybody who plays there, and add --consent FACTION for each."
            )
        return
    learnt = [faction for faction in table.seats if any(is_hidden_event(event, faction) for event in happened)]
    if missing := [faction_name(faction) for faction in learnt if faction not in consent]:
        raise PowerRefused(
            f"{table.id} is rated, and {', '.join(missing)} have since learnt something hidden. Ask them, and add "
            "--consent FACTION for each who agrees."
        )


def correct_facts(request: DeskRequest, texts: Sequence[str]) -> None:
    """Correct facts of a position (``rules.engine.log.CORRECTION_FORMS``): either all of them or none.

    Everybody is told of the correction and its public part. The owner of hidden facts is also told the hidden part.
    Raise PowerRefused if a correction is impossible or leads to a position that no game could reach. In a blind game,
    also raise it if the refusal on its own would reveal something sealed.
    """
    with using(request, "position") as used:
        table = used.table
        before = TableBefore.of(table)
        try:
            put_right = [log.read_correction(text) for text in texts]
            if any(map(log.looks_behind_shields, put_right)):
                used.require_sight()
            table.play.correct(put_right)
            check_invariants(table.play.game)
        except (ValueError, KeyError) as refused:
            raise PowerRefused(str(refused)) from None
        except InvariantBroken as broken:
            raise PowerRefused(f"A game cannot have this position: {broken}.") from None
        used.words = "; ".join(map(log.write_correction, put_right))
        public = [log.write_correction(each) for each in put_right if not log.owners_of_correction(each)]
        with speaking(table.play.game.rules.edition):
            for faction in table.seats:
                own = [log.write_correction(each) for each in put_right if faction in log.owners_of_correction(each)]
                told = [say("event.corrected.public", changes=public), *own_words(request.use.tell)]
                if own:
                    told.insert(1, say("event.corrected.private", own=own))
                used.session.writer.notify(table, faction, say("desk.corrected-subject"), told)
        if not used.may_foresee:
            return
        go_on(table, request.now)
        used.session.save(table)
        used.session.writer.answer(table, before)
