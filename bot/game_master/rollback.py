"""Taking a game back: its log is cut, and what is left is played again. Its record keeps what was undone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import datetime

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, began, using, within
from bot.games import observers
from bot.games.hidden_parts import is_hidden
from bot.games.open_games import OpenGames
from bot.post.clock_notices import own_words
from bot.reports.news import sentence
from bot.store import act_log, dropped_entries, games, held_lines, master_codes, record_parts, rollbacks, sheets
from bot.store.database import Connection
from bot.store.forum import threads as forum_threads
from bot.store.rollbacks import Rollback
from bot.store.tournaments import rounds as tournament_rounds
from bot.store.tournaments.tournaments import find as tournament_of
from bot.table import rounds
from bot.table.table import Table, TableBefore
from bot.wording.filters import plural
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.components import Faction, faction_name
from rules.engine.play import Play


def entries_at(open_games: OpenGames, game_id: str, turn: int, phase: str) -> int:
    """How many entries the log had at the start of a phase. PowerRefused if the game did not stop there; UnknownGame if
    there is none of that name."""
    with within(open_games) as conn:
        if not games.exists(conn, game_id):
            raise games.UnknownGame(f"There is no game {game_id!r} here.")
        before = games.entries_before(conn, game_id, turn, phase)
    if before is None:
        raise PowerRefused(
            f"{game_id} did not stop in turn {turn}, {phase}; name a phase in which somebody was asked, like 4 battle."
        )
    return before


def rollback(
    open_games: OpenGames, game_id: str, entries: int, now: datetime, use: Use = AT_THE_MACHINE,
    consent: Collection[Faction] = (),
) -> Table:  # fmt: skip
    """Take a game back to where its log had so many entries; everybody is told. PowerRefused if it is finished: its
    seed was told to all its players, who could foresee every shuffle and storm; or, in a rated tournament, if
    somebody has learnt since what was hidden, and is not among those who gave their ``consent``; blind, everybody
    gives it. ValueError if it has fewer entries."""
    open_games.forget(game_id)
    with began(open_games, game_id, "rollback", use) as used:
        conn, old = used.conn, used.table
        if not 0 <= entries <= old.entries:
            raise ValueError(_too_few(game_id, old.entries))
        play = Play.start(old.play.game.rules, old.seed, {f: seat.dot for f, seat in old.seats.items()})
        play.replay(games.log_of(conn, game_id)[:entries])
        _require_consent(conn, old, play.state.events, consent)
        state = play.state
        taken_back = Rollback(now, entries, state.events, state.turn, state.phase, use.why)
        dropped_entries.keep(conn, game_id, rollbacks.record(conn, game_id, taken_back), entries)
        games.cut(conn, game_id, entries)
        master_codes.outdate(conn, game_id)
        held_lines.drop(conn, game_id, list(old.seats))
        table = Table(
            game_id, old.ruleset, old.options, old.seed, play, old.seats, entries=entries, revision=old.revision,
            tempo=old.tempo, clock=old.clock, stopped_at=old.stopped_at, stopped_why=old.stopped_why,
            absences=old.absences, policy=old.policy, sheets=sheets.load(conn, game_id, old.seats),
            on_hold=old.on_hold, press=old.press, blind=old.blind,
            head=old.head, lines=old.lines, words_key=old.words_key,
        )  # fmt: skip
        for seat in table.seats.values():
            seat.told, seat.called = min(seat.told, play.state.events), ""
            seat.drawn = min(seat.drawn, play.state.events)
        table.now = now
        rounds.open_call(table)  # what was filed since is withdrawn, so all are asked for their sheets again
        used.words = f"to turn {state.turn}, {state.phase}: {entries} of {plural(old.entries, 'entry')} kept"
        act_log.add(conn, game_id, used.act("rollback", now))
        record_parts.taken_back(conn, table, entries, use.why, now)
        games.save(conn, table, now, open_games.clock(table), recorded=True)
        games.ready_for_deputies(conn, table)
        where = say("rollback.where", turn=state.turn, phase=state.phase)
        paragraphs = [say("rollback.notice", where=where), say("rollback.sheets")]
        paragraphs += [say("rollback.on-hold")] if table.on_hold else []
        paragraphs += own_words(use.tell)
        open_games.writer.announce(conn, table, now, say("rollback.subject", where=where), paragraphs)
        open_games.writer.answer(conn, table, TableBefore({}, play.state.turn, over=False), now)
        observers.taken_back(conn, open_games, table, now)
        forum_threads.taken_back(conn, game_id, play.state.events, state.turn, where)
        for each in fields(Table):  # what the transaction closes is the game as it is now
            setattr(old, each.name, getattr(table, each.name))
    return table


def undo(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> Table:
    """Put back what the last rollback has cut, order for order, so that the game stands where it stood; everybody is
    told. PowerRefused if there was none, it was undone already, or something was decided since."""
    with using(open_games, game_id, "undo", now, use) as used:
        conn, table = used.conn, used.table
        last = next(reversed(rollbacks.rollbacks_of(conn, game_id)), None)
        if last is None or last.undone:
            raise PowerRefused(f"{game_id} was not taken back; there is nothing to undo.")
        if table.entries != last.entries:
            raise PowerRefused(f"Something was decided in {game_id} since it was taken back; it cannot be undone.")
        dropped = dropped_entries.of_rollback(conn, last.number)
        if not dropped:
            raise PowerRefused(f"What was cut from the log of {game_id} is not kept; it cannot be undone.")
        before = TableBefore.of(table)
        table.play.replay(dropped)
        rollbacks.undo(conn, last)
        master_codes.outdate(conn, game_id)
        used.words = f"back again: {plural(len(dropped), 'entry')}"
        rounds.open_call(table)
        games.save(conn, table, now, open_games.clock(table))
        where = say("rollback.where", turn=table.play.state.turn, phase=table.play.state.phase)
        paragraphs = [say("rollback.undone", where=where), say("rollback.sheets"), *own_words(use.tell)]
        open_games.writer.announce(conn, table, now, say("rollback.undone-subject", where=where), paragraphs)
        open_games.writer.answer(conn, table, before, now)
        return table


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rollback would take back: how many of the log's entries, and since then what all have learnt, and what
    each alone."""

    entries: int
    of: int
    public: tuple[str, ...]
    private: Mapping[Faction, tuple[str, ...]]


def preview(
    open_games: OpenGames, game_id: str, entries: int, now: datetime, use: Use = AT_THE_MACHINE
) -> Preview:  # fmt: skip
    """What players have learnt since the log of a game had so many entries; of one that is played blind only what all
    know. The game is not changed; that somebody has looked at what is hidden stands in the act log. PowerRefused for
    whoever may not take it back, and if it is finished, as it is never taken back; ValueError if it has fewer."""
    with using(open_games, game_id, "preview", now, use) as used:
        conn, table = used.conn, used.table
        if not 0 <= entries <= table.entries:
            raise ValueError(_too_few(game_id, table.entries))
        play = Play.start(table.play.game.rules, table.seed, {f: seat.dot for f, seat in table.seats.items()})
        play.replay(games.log_of(conn, game_id)[:entries])
        happened = games.events_of(conn, game_id, play.state.events)
        hidden = used.silent = games.is_blind(conn, game_id)
        used.words = f"from turn {play.state.turn}, {play.state.phase}"
    with speaking(table.play.game.rules.edition):
        public = [sentence(event.kind, event.facts, {}) for event in happened if event.audience is None]
        private = {
            faction: tuple(sentence(event.kind, event.facts, event.told_to(faction)) for event in own)
            for faction in table.seats
            if not hidden and (own := [event for event in happened if is_hidden(event, faction)])
        }
    return Preview(entries, table.entries, tuple(filter(None, public)), private)


def _too_few(game_id: str, entries: int) -> str:
    return f"The log of {game_id} has {plural(entries, 'entry')}; keep so many or fewer, or 0 for none."


def _require_consent(conn: Connection, table: Table, events: int, consent: Collection[Faction]) -> None:
    """In a rated tournament those agree who know since what they could not forget."""
    seated = tournament_rounds.table_of_game(conn, table.id)
    if seated is None or not tournament_of(conn, seated.tournament_id).settings.rated:
        return
    happened = games.events_of(conn, table.id, events)
    if games.is_blind(conn, table.id):
        if happened and any(faction not in consent for faction in table.seats):
            raise PowerRefused(
                f"{table.id} is rated and played blind, and who has learnt what is sealed. Ask everybody who plays "
                "there, and name all: --consent FACTION, for each."
            )
        return
    learnt = [faction for faction in table.seats if any(is_hidden(event, faction) for event in happened)]
    if missing := [faction_name(faction) for faction in learnt if faction not in consent]:
        raise PowerRefused(
            f"{table.id} is rated, and {', '.join(missing)} have learnt since what was hidden. Ask them, and name "
            "those who agree: --consent FACTION."
        )
