"""Carry out the requests that a person with a proved identity mails to the lobby. Each request has its own savepoint,
and one letter answers them all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Literal

from bot.games.identity import identifiers
from bot.games.open_games import Session
from bot.lobby import calendars, letters, starting
from bot.lobby.joining import (
    ONE_PERSON,
    JoinRequest,
    accept,
    answer_merge,
    fitting_wishes,
    invite,
    is_asked_to_merge,
    is_banned,
    join,
    leave,
    note_wishes,
    own_seat,
    place_in_line,
    proposed_with,
    require_may_open,
    wait_in_line,
)
from bot.lobby.letters import MOST_TABLES, OwnSeat, Reader
from bot.lobby.lines import is_day
from bot.lobby.requests import (
    Calendar,
    Close,
    Invite,
    Join,
    Leave,
    ListTables,
    Meant,
    MyGames,
    Open,
    Practice,
    Prolong,
    ReadMail,
    Rematch,
    Reply,
    Request,
    StandBy,
    Start,
    Stop,
    ToGameMaster,
    UseAddress,
    Wait,
    WaitUntil,
    Weekly,
    Wish,
)
from bot.lobby.tables import (
    DAY,
    LobbyRefused,
    close_table,
    known_tables,
    open_table,
    public_views,
    reader_at,
    settings_of,
    view_of,
    write,
)
from bot.lobby.vacancies import ask_volunteers, offer_seat_again, refuse_offered_seat, take_offered_seat
from bot.render.material import Rendering
from bot.store import lobby, people
from bot.store.lobby import (
    FORMING,
    HOLDING,
    LIVE,
    LobbySeat,
    LobbyTable,
    SeatState,
    TableKind,
    TableState,
)
from bot.table.calendar import instant_at
from bot.wording import day_and_month, say

MOST_WORDS = 2000  # characters
MOST_NAMED = 3  # the most sentences without a request that are quoted
EVERY = ListTables()


@dataclass(frozen=True, slots=True)
class Post:
    """A mail to the lobby. ``person`` is the address for letters to its writer. ``vouched`` is true if our own mail
    server confirmed the sender's domain."""

    sender: str
    person: str
    read: ReadMail
    key: str
    message_id: str
    vouched: bool
    asked: tuple[str, ...] = ()  # the tables that wait for a yes from the writer
    answered: str = ""  # the label of the letter to which the mail replies


def list_letter(session: Session, reader: Reader, wanted: ListTables = EVERY) -> Rendering:
    shown = public_views(session.conn, wanted.filters)
    return letters.list_tables(reader, shown[:MOST_TABLES], len(shown[MOST_TABLES:]))


def table_named(session: Session, meant: Meant, known: Collection[str], word: str = "") -> LobbyTable | None:
    wanted = meant.table or meant.words.strip().lower()
    table = lobby.find_table(session.conn, wanted) if wanted else None
    if table is None or table.state not in FORMING:
        return None
    said = word or meant.words.strip().lower().rpartition(" ")[2]
    allowed = {each.id for each in known_tables(session.conn, known)}
    return table if table.id in allowed or (table.word and table.word == said) else None


class Answers:
    def __init__(self, session: Session, post: Post) -> None:
        self.session, self.post, self.conn = session, post, session.conn
        self.known = people.known_as(session.conn, post.sender)
        self.person, self.done, self.count = post.person, list[str](), 0
        self._parts = list[Rendering]()

    @property
    def reader(self) -> Reader:
        return reader_at(self.session, self.person)

    def send(self, letter: Rendering | None) -> None:
        if letter is not None:
            self._parts.append(letter)

    def finish(self, unread: Sequence[str] = ()) -> None:
        if self._parts:
            letter = letters.together(self.reader, self._parts, unread[:MOST_NAMED])
            write(self.session, self.person, letter, f"answer.{self.post.key}", self.post.message_id)

    def take(self, request: Request) -> None:
        try:
            with self.conn.begin_nested():
                answer = self._answer(request)
            self.count += 1
        except LobbyRefused as refused:
            self.session.games.forget()
            answer = self._refusal(refused)
        self.send(answer)

    def _refusal(self, refused: LobbyRefused) -> Rendering:
        if ban := people.standing_ban(
            self.conn, self.person, self.session.now, tags_apart=self.session.settings.identity.tags_apart
        ):
            return letters.banned(self.reader, ban.until.date() if ban.until else None, ban.since.date())
        others = public_views(self.conn, but_not=refused.table)[:3]
        if refused.why in ("running", "duties", "nobody", "known", "invited", "first-game"):
            others = []
        return letters.refused(self.reader, refused.why, others, table=refused.table, **refused.facts)

    def _answer(self, request: Request) -> Rendering | None:
        answers: dict[type, Callable[..., Rendering | None]] = {
            ListTables: lambda wanted: list_letter(self.session, self.reader, wanted),
            Join: self._join,
            Leave: self._leave,
            Wait: self._wait,
            Wish: self._wish,
            Reply: self._reply,
            Open: self._open,
            Invite: self._invite,
            Start: self._start,
            WaitUntil: self._hold,
            Prolong: self._prolong,
            Close: self._close,
            Rematch: self._rematch,
            MyGames: self._mine,
            StandBy: self._stand_by,
            Weekly: self._weekly,
            Calendar: lambda asked: calendars.answer_calendar(self.session, self.person, asked),
            Stop: self._stop,
            Practice: self._practise,
            UseAddress: self._use_address,
            ToGameMaster: self._question,
        }
        found = answers.get(type(request))
        if found is None:
            return letters.how_it_works(self.reader, public_views(self.conn)[:3])
        return found(request)

    # --- seats

    def _join(self, asked: Join) -> Rendering | None:
        if not asked.table.words and (offered := self._offered(asked.table)):
            if len(offered) > 1:
                return self._which(Meant(tables=offered), "join")
            return self._reply(Reply(yes=True, table=Meant(tables=offered)))
        if not asked.table.table and len(asked.table.tables) > 1:
            return self._which(asked.table, "join")
        if not asked.table.table and not asked.table.words:
            return list_letter(self.session, self.reader)
        table = table_named(self.session, asked.table, self.known, asked.word)
        if table is None:
            self._require_not_begun(asked.table.table)
            self._require_not_proposed(asked.table)
            today = self.session.now.astimezone(self.reader.zone).date()
            if not asked.table.table and is_day(asked.table.words, today):
                raise LobbyRefused("no-day", "", day=asked.table.words.title())
            raise LobbyRefused("unknown", asked.table.table or asked.table.words[:40])
        wanted = JoinRequest(self.person, "token", asked.name, asked.wishes, asked.word, asked.unknown)
        joined = join(self.session, table, wanted)
        after = starting.settle(self.session, table.id, self.person)
        starting.tell_fewest(self.session, after, self.person)
        if after.state == "started" or lobby.find_seat(self.conn, joined.seat.number).state not in LIVE:
            return None  # the game's first letter, or the letter about the freed seat, is the answer
        shown = view_of(self.conn, after)
        if joined.how == "line":
            others = public_views(self.conn, but_not=table.id)[:3]
            if joined.returned:
                return letters.refused(self.reader, "returns", others, table=table.id)
            return letters.in_line(self.reader, shown, place_in_line(self.session, after, joined.seat), others)
        if joined.how == "again" and joined.seat.address not in self.known:
            held = joined.seat.address
            letter = letters.sits_already(reader_at(self.session, held), shown, held)
            write(self.session, held, letter, f"answer.{self.post.key}.held", self.post.message_id)
            return None
        return letters.seated(
            self.reader, shown, wishes=joined.seat.wishes, notes=joined.notes, again=joined.how == "again"
        )

    def _offered(self, meant: Meant) -> tuple[str, ...]:
        """Return the tables that a person who was offered a seat may mean. If they reply to a table's offer, this is
        that table. Otherwise, these are all tables that offered them a seat and, if ``meant`` is a single table, that
        one."""
        if self.post.answered in self.post.asked:
            return (self.post.answered,)
        if not self.post.asked:
            return ()
        return tuple(dict.fromkeys((*self.post.asked, *([meant.table] if meant.table else ()))))

    def _require_not_begun(self, table: str) -> None:
        played = dict(people.seats_at_addresses(self.conn, self.known))
        if table in played:
            raise LobbyRefused("begun", table, faction=played[table])

    def _require_not_proposed(self, meant: Meant) -> None:
        own = [table for table, _ in self._own(meant) if table.state == "proposed"]
        if meant.tables and own:
            raise LobbyRefused("proposed", own[0].id)

    def _which(self, meant: Meant, verb: Literal["join", "leave", "wait"]) -> Rendering:
        found = [lobby.find_table(self.conn, each) for each in meant.tables]
        shown = [view_of(self.conn, table) for table in found if table is not None]
        return letters.which_table(self.reader, shown, verb)

    def _own(self, meant: Meant, *states: SeatState) -> list[tuple[LobbyTable, LobbySeat]]:
        found = []
        for seat in lobby.seats_of_person(self.conn, self.known, *states):
            table = lobby.find_table(self.conn, seat.table_id)
            if table is not None and (not meant.tables or table.id in meant.tables):
                found.append((table, seat))
        return found

    def _leave(self, asked: Leave) -> Rendering:
        own = self._own(asked.table)
        if not own:
            return self._mine(MyGames())
        if len(own) > 1 and not asked.every and not asked.table.tables:
            return self._which(Meant(tables=tuple(table.id for table, _ in own)), "leave")
        shown = [view_of(self.conn, table) for table, _ in own]
        waited = all(seat.state == "waiting" for _, seat in own)
        for table, seat in own:
            leave(self.session, seat)
            starting.settle(self.session, table.id, self.person)
        if waited:
            return letters.out_of_line(self.reader, own[0][0].id)
        return letters.left(self.reader, shown)

    def _wait(self, asked: Wait) -> Rendering:
        if not asked.wanted:
            own = self._own(asked.table, "waiting", "offered")
            for table, seat in own:
                leave(self.session, seat)
                starting.settle(self.session, table.id, self.person)
            return letters.out_of_line(self.reader, own[0][0].id if own else asked.table.words)
        if len(asked.table.tables) > 1:
            return self._which(asked.table, "wait")
        wanted = table_named(self.session, asked.table, self.known)
        if wanted is None:
            raise LobbyRefused("unknown", asked.table.table or asked.table.words[:40])
        nobody_waits = not lobby.seats_of(self.conn, wanted.id, "waiting")
        if nobody_waits and view_of(self.conn, wanted).free and not self._own(Meant(tables=(wanted.id,))):
            raise LobbyRefused("seat-free", wanted.id)
        joined = wait_in_line(self.session, wanted, JoinRequest(self.person, "token"))
        after = starting.settle(self.session, wanted.id, self.person)
        shown = view_of(self.conn, after)
        if joined.how == "again":
            return letters.seated(self.reader, shown, wishes=joined.seat.wishes, again=True)
        others = public_views(self.conn, but_not=wanted.id)[:3]
        return letters.in_line(self.reader, shown, joined.place, others)

    def _wish(self, asked: Wish) -> Rendering:
        own = self._own(asked.table)
        if not own:
            raise LobbyRefused("nothing-asked")
        if len(own) > 1:
            return self._which(Meant(tables=tuple(table.id for table, _ in own)), "join")
        if asked.name == "NAME":
            raise LobbyRefused("settings", own[0][0].id, why=say("lobby-unread.blank", blank=asked.name))
        table, seat = own[0]
        wishes, notes = fitting_wishes(table, asked.wishes, asked.unknown)
        seat = note_wishes(self.session, seat, "*" if asked.wishes == "*" else wishes, asked.name)
        shown = view_of(self.conn, table)
        noted = seat.wishes or ("*" if asked.wishes == "*" else "")
        return letters.wishes_noted(self.reader, shown, noted, seat.name, notes)

    def _reply(self, said: Reply) -> Rendering | None:
        offers = self._own(said.table, "offered", "invited")
        asked = [(table, seat) for table, seat in self._own(said.table, "seated") if table.check_due is not None]
        line = [
            (table, seat)
            for table, seat in self._own(said.table, "waiting")
            if said.table.words or view_of(self.conn, table).free
        ]
        decides = self._own(said.table, "seated")
        merging = [(table, seat) for table, seat in decides if is_asked_to_merge(self.conn, table, self.known)]
        open_now = offers or asked or merging or line
        if len(open_now) > 1:
            return self._which(Meant(tables=tuple(table.id for table, _ in open_now)), "join")
        if not open_now:
            return self._reply_to_nothing(said)
        table, seat = open_now[0]
        if table.kind == "vacancy":
            return self._reply_to_vacancy(said, table, seat)
        if open_now is merging:
            return self._reply_to_merge(said, table)
        if not said.yes:
            leave(self.session, seat, "declined" if seat.state != "seated" else "left")
            starting.settle(self.session, table.id, self.person)
            if seat.state == "seated":
                return letters.left(self.reader, [view_of(self.conn, table)])
            return letters.done(self.reader, [say("lobby-note.no-more-here", table=table.id)], table=table.id)
        joined = accept(self.session, table, seat) if seat.state != "seated" else None
        after = starting.settle(self.session, table.id, self.person)
        if after.state == "started":
            return None
        shown = view_of(self.conn, after)
        if joined is None:
            return letters.done(self.reader, [say("lobby-note.present", table=table.id)], table=table.id)
        if joined.how == "line":
            ago = say("lobby-note.meanwhile")
            return letters.refused(self.reader, "offer-taken", public_views(self.conn)[:3], table=table.id, ago=ago)
        return letters.seated(self.reader, shown, wishes=joined.seat.wishes)

    def _reply_to_merge(self, said: Reply, table: LobbyTable) -> Rendering | None:
        other = proposed_with(self.conn, table)
        into = answer_merge(self.session, table, yes=said.yes)
        if into is not None and starting.settle(self.session, into.id, self.person).state == "started":
            return None
        key = "merged" if into else "merge-yes" if said.yes else "merge-no"
        told = say(f"lobby-note.{key}", table=table.id, other=other, into=into.id if into else "")
        return letters.done(self.reader, [told], table=table.id)

    def _reply_to_nothing(self, said: Reply) -> Rendering | None:
        sits, gone = self._own(said.table, "seated"), lobby.seat_given_up(self.conn, self.known, said.table.tables)
        lately = gone is not None and self.session.now - (gone.changed_at or gone.joined_at) < 3 * DAY
        if said.yes and gone is not None and (lately or not sits):
            return self._yes_after_no(gone)
        if said.yes and sits:
            table, seat = sits[0]
            if other := self._other_seat(table):
                leave(self.session, seat, "freed", ONE_PERSON)
                lobby.change_seat(self.conn, other.number, state="seated", why="", live=other.address)
                return letters.seated(self.reader, view_of(self.conn, table), wishes=other.wishes)
            return letters.seated(self.reader, view_of(self.conn, table), wishes=seat.wishes, again=True)
        raise LobbyRefused("nothing-asked")

    def _other_seat(self, table: LobbyTable) -> LobbySeat | None:
        """Return the seat at this table that was taken from this person within the last day because they had another
        seat there under another address. Return None if there is no such seat."""
        since = self.session.now - DAY
        every = [each for each in lobby.every_seat(self.conn, table.id) if each.address in self.known]
        freed = [each for each in every if each.state == "freed" and each.why == ONE_PERSON]
        return next((each for each in freed if each.changed_at and each.changed_at >= since), None)

    def _yes_after_no(self, gone: LobbySeat) -> Rendering | None:
        table = lobby.find_table(self.conn, gone.table_id)
        assert table is not None, gone.table_id
        if table.kind == "vacancy":
            offer_seat_again(self.session, table, gone)
            return self._reply_to_vacancy(Reply(yes=True), table, gone)
        if table.state not in FORMING:
            raise LobbyRefused("over", table.id)
        shown, public = view_of(self.conn, table), table.kind == "open"
        others = [shown] if public and shown.free else []
        return letters.refused(self.reader, "said-no", others, table=table.id, public=public, free=bool(others))

    def _reply_to_vacancy(self, said: Reply, table: LobbyTable, seat: LobbySeat) -> Rendering | None:
        if said.yes:
            take_offered_seat(self.session, table, seat)
            return None  # the letter of the game is the answer
        refuse_offered_seat(self.session, table, seat, said.not_before)
        return letters.done(self.reader, [say("lobby-note.no-more-here", table=table.of_game)], table=table.of_game)

    # --- the person's own table

    def _open(self, asked: Open) -> Rendering:
        alike = [
            table
            for table in public_views(self.conn)
            if asked.ruleset in ("", table.ruleset) and asked.tempo in ("", table.tempo)
        ]
        if asked.form or asked.mistakes:
            return letters.opening_form(self.reader, asked, alike[:1], asked.mistakes)
        like = table_named(self.session, asked.like, self.known)
        if like is None and (asked.like.tables or asked.like.words):
            raise LobbyRefused("unknown", asked.like.table or asked.like.words[:40])
        settings = settings_of(self.session, asked, like.settings if like else None)
        require_may_open(self.session, self.person, settings.reliability)
        kind: TableKind = "private" if asked.private else "open"
        table = open_table(self.session, self.person, settings, kind, title=asked.title)
        self._sit_as_opener(table)
        shown = view_of(self.conn, table)
        return letters.opened(self.reader, shown, waits_for_approval=table.state == "proposed")

    def _sit_as_opener(self, table: LobbyTable) -> None:
        try:
            join(self.session, table, JoinRequest(self.person, "opener"))
        except LobbyRefused as refused:
            if refused.why != "newcomers":
                raise
            raise LobbyRefused("settings", why=say("lobby-note.no-newcomers")) from None

    def _mine_to_decide(self, meant: Meant, *also: TableState) -> LobbyTable:
        every = [
            each for each in lobby.all_tables(self.conn, *FORMING, *also) if not meant.tables or each.id in meant.tables
        ]
        own = [each for each in every if each.starter in self.known]
        seen = {table.id for table in known_tables(self.conn, self.known)}
        if meant.tables and not own and (others := [each.id for each in every if each.id in seen]):
            raise LobbyRefused("not-yours", others[0])
        if not own:
            self._require_not_proposed(meant)
            raise LobbyRefused("unknown", meant.table or meant.words[:40])
        return own[-1]

    def _invite(self, asked: Invite) -> Rendering:
        own = self._own(asked.table, *HOLDING)
        if not own:
            raise LobbyRefused("nothing-asked")
        table = own[-1][0]
        if table.state == "proposed":
            raise LobbyRefused("proposed", table.id)
        invite(self.session, table, asked.addresses)
        starting.settle(self.session, table.id, self.person)
        return letters.invitation_to_pass_on(self.reader, view_of(self.conn, table), table.word)

    def _start(self, asked: Start) -> Rendering | None:
        table = self._mine_to_decide(asked.table, *(("ended",) if asked.opponents else ()))
        if table.state == "ended":
            table = starting.prolong(self.session, table)
        after = starting.start_now(self.session, table, opponents=asked.opponents)
        if after.state == "started":
            return None
        told = say("lobby-note.present", table=table.id)
        return letters.done(self.reader, [told], table=table.id)

    def _hold(self, asked: WaitUntil) -> Rendering:
        table = self._mine_to_decide(asked.table)
        zone = self.reader.zone
        until = instant_at(asked.until, time(12), zone) if asked.until else self.session.now + 3 * DAY
        until = min(max(until, self.session.now), self.session.now + 14 * DAY)
        starting.hold(self.session, table, until)
        day = day_and_month(until.astimezone(zone).date())
        return letters.done(self.reader, [say("lobby-note.holds", table=table.id, day=day)], table=table.id)

    def _prolong(self, asked: Prolong) -> Rendering:
        table = starting.prolong(self.session, self._mine_to_decide(asked.table, "ended"))
        return letters.opened(self.reader, view_of(self.conn, table))

    def _close(self, asked: Close) -> Rendering:
        table = self._mine_to_decide(asked.table, "proposed")
        own = own_seat(self.session, lobby.seats_of(self.conn, table.id), self.person)
        if own is not None:
            leave(self.session, own)
        close_table(self.session, table, by="closed-by-opener")
        return letters.done(self.reader, [say("lobby-note.closed", table=table.id)], table=table.id)

    def _rematch(self, asked: Rematch) -> Rendering | None:
        game = asked.table.table or asked.table.words.strip().lower() or lobby.last_game(self.conn, self.known)
        table = starting.rematch(self.session, game, self.person)
        after = starting.settle(self.session, table.id, self.person)
        if after.state == "started":
            return None
        return letters.seated(self.reader, view_of(self.conn, after))

    # --- the person

    def tell_game_master(self, words: str) -> None:
        """Pass the person's words on to the game master. The words of a banned person are passed on at most once a
        week."""
        banned = is_banned(self.session, self.person)
        once = f"{self.person}.{self.session.now:%G-%V}" if banned else self.post.key
        told = [say("lobby-note.question", address=self.person), words[:MOST_WORDS]]
        subject = say("lobby-note.question-subject")
        self.session.writer.tell_game_master(subject, told, f"lobby.question.{once}")

    def _mine(self, _: MyGames) -> Rendering:
        rows = []
        for table, seat in self._own(Meant()):
            shown = view_of(self.conn, table)
            if seat.state == "waiting":
                place = place_in_line(self.session, table, seat)
                rows.append(OwnSeat(table.id, "waits", shown, place))
            elif seat.state == "seated":
                state: Literal["proposed", "sits"] = "proposed" if table.state == "proposed" else "sits"
                rows.append(OwnSeat(table.id, state, shown, wishes=seat.wishes))
            else:
                rows.append(OwnSeat(table.id, "offered", shown, due=seat.offer_until or table.expires_at))
        for game_id, faction in people.seats_at_addresses(self.conn, self.known):
            game = self.session.games.table(self.conn, game_id)
            dates = [each.at for each in calendars.duties(game, faction) if isinstance(each.at, datetime)]
            turn, due = game.play.state.turn, min(dates, default=None)
            rows.append(OwnSeat(game_id, "playing", faction=faction, turn=turn, due=due))
        return letters.own_games(self.reader, rows)

    def _stand_by(self, asked: StandBy) -> Rendering:
        own = lobby.standing(self.conn, self.person)
        changed = replace(own, since=None)
        if asked.wanted:
            wanted = asked.filters
            changed = replace(
                own, since=self.session.now, ruleset=wanted.ruleset, tempo=wanted.tempo, not_before=asked.not_before
            )
        lobby.set_standing(self.conn, changed)
        ask_volunteers(self.session)
        day = day_and_month(asked.not_before) if asked.not_before else ""
        told = say("lobby-note.standby-on", day=day) if asked.wanted else say("lobby-note.standby-off")
        return letters.done(self.reader, [told], StandBy(wanted=False) if asked.wanted else None)

    def _weekly(self, _: Weekly) -> Rendering:
        own = lobby.standing(self.conn, self.person)
        lobby.set_standing(self.conn, replace(own, weekly_at=self.session.now, stopped=False))
        return letters.done(self.reader, [say("lobby-note.weekly-on")], Stop(letters="weekly"))

    def _practise(self, wanted: Practice) -> None:
        starting.practise(self.session, self.person, wanted)

    def _use_address(self, _: UseAddress) -> Rendering:
        here, mine = self.post.sender, identifiers(self.conn, self.session.settings, self.post.sender)
        moved = [
            seat
            for seats in lobby.live_seats(self.conn).values()
            for seat in seats
            if seat.address != here and not mine.isdisjoint(identifiers(self.conn, self.session.settings, seat.address))
        ]
        for seat in moved:
            lobby.change_seat(self.conn, seat.number, address=here, live=here)
        self.person = here
        told = say("lobby-note.address" if moved else "lobby-note.address-same", address=here)
        return letters.done(self.reader, [told])

    def _stop(self, asked: Stop) -> Rendering:
        own = lobby.standing(self.conn, self.person)
        stopped = own.stopped or asked.letters == "tables"
        since = None if stopped else own.since
        lobby.set_standing(self.conn, replace(own, weekly_at=None, calendar_at=None, since=since, stopped=stopped))
        return letters.stopped(self.reader, asked.letters)

    def _question(self, asked: ToGameMaster) -> Rendering:
        if asked.text:
            self.tell_game_master(asked.text)
        return letters.how_it_works(self.reader, public_views(self.conn)[:3], self.post.read.near, kept=True)
