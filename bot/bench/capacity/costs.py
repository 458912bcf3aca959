"""What a mail and a letter take on this machine: measured with a real game, a real database, servers on loopback."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bot.bench.measure import Stopwatch
from bot.bench.places import DatabaseKind
from bot.bench.world import BOT, USERS, World, open_world
from bot.demo.players import ScriptedPlayer
from bot.demo.simulation.people import People, Posted
from bot.mail.servers.localserver import LocalMail
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.outbox import Outbox
from bot.service.system_clock import utc_now
from bot.store import heartbeats, measuring
from bot.store.database import reading, rewrite, size_of, writing

MAILS = 160
_COMMITS = 50


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of one worker for a mail and for a letter; seconds of the reader to fetch and move a mail, beside the way
    to its server; seconds of a bare commit; bytes of the database that a mail with its letters takes, at first and when
    what was said is dropped (`[retention]`)."""

    mail: float
    letter: float
    fetched: float
    commit: float
    stored: float
    kept: float


def costs(folder: Path, kind: DatabaseKind, ruleset: str, mails: int = MAILS) -> Costs:
    """Measure them in the first rounds of a game."""
    taken, fetched, letters = Stopwatch(), Stopwatch(), list[float]()
    folder.mkdir(parents=True, exist_ok=True)
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers, kind.new_url())
        outbox = Outbox(world.moderator.open_games)
        world.new_game("bench-0", ruleset)
        early = (0, _size(world))
        with closing(open_mailbox(world.settings)) as mailbox, closing(open_transport(world.settings)) as transport:
            outbox.send(transport, utc_now())
            people, read = People("capacity", ScriptedPlayer), 0  # who forgets nothing: no clock would answer for them
            while len(taken.taken) < mails:
                news = [Posted.of(each.recipients[0], each.raw) for each in servers.sent[read:]]
                read = len(servers.sent)
                answers = list(people.answers(news, utc_now()))
                if not answers:  # the game is over
                    break
                if not early[0] and len(taken.taken) >= mails / 4:  # so many fill what every database has
                    early = len(taken.taken), _size(world)
                for raw in answers:
                    servers.deliver(BOT, raw)
                    with fetched.running():
                        (new,) = mailbox.fetch_new()
                    with taken.running():
                        world.moderator.receive(new.raw or b"", new.key, utc_now())
                    with fetched.running():
                        mailbox.done(new.key)
                    with (sent := Stopwatch()).running():
                        number = outbox.send(transport, utc_now()).sent
                    letters += [sent.total / number] * number if number else []
        number = len(taken.taken)
        late = _size(world)
        stored, said = ((late[of] - early[1][of]) / (number - early[0]) for of in (0, 1))
        commit = _commit(world)
        world.engine.dispose()
    return Costs(
        mail=_lower_quartile(taken.taken), letter=_lower_quartile(letters),
        fetched=2 * _lower_quartile(fetched.taken), commit=commit,
        stored=stored, kept=max(stored - said, 0.0),
    )  # fmt: skip


def _size(world: World) -> tuple[int, int]:
    """The bytes of the database, and those of them that mails and letters said."""
    rewrite(world.engine)
    with reading(world.engine) as conn:
        return size_of(conn), measuring.bytes_said(conn)


def _commit(world: World) -> float:
    watch = Stopwatch()
    for _ in range(_COMMITS):
        with watch.running(), writing(world.engine) as conn:
            heartbeats.beat(conn, "service", utc_now())
    return _lower_quartile(watch.taken)


def _lower_quartile(seconds: Sequence[float]) -> float:
    """The lower quartile of the times: what else the machine does makes a mail slower, and never quicker."""
    return sorted(seconds)[len(seconds) // 4] if seconds else 0.0
