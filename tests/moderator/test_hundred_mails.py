"""A game played with about a hundred realistic mails: after each mail, Mentat has recorded what a human moderator
would have."""

from __future__ import annotations

import email
import smtplib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.desk.seats import set_sitter
from bot.language.orders import write
from bot.language.sheets import write_sheet_line
from bot.moderator.seat_lines import release_game
from bot.service.loop import poll, send
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store.database import reading
from bot.store.memory import LAST_MAIL
from bot.store.record import log_of
from rules.components import FACTIONS, Faction
from rules.engine.log import Submitted
from tests.dovecot_server import Dovecot, why_not_here
from tests.end_to_end.post_office import PostOffice
from tests.moderator.table import ADDRESS, CONFIG, GAME, GAME_MASTER, World, address_of

PASSWORD = "melange"
SITTER = "sitter@players.example"


@dataclass
class LiveTable:
    """Six people who write to Mentat; `deliver` passes their mails on."""

    world: World
    deliver: Callable[[bytes], object]
    mails: int = 0
    wrong: list[str] = field(default_factory=list)

    def on_file(self, faction: Faction) -> list[str]:
        sheet = self.world.table().sheets.get(faction)
        return [write_sheet_line(filed.line) for filed in sheet.active()] if sheet else []

    def ordered(self, faction: Faction, after: int) -> list[str]:
        """Return this seat's orders after log entry `after`, in canonical words."""
        with reading(self.world.engine) as conn:
            entries = log_of(conn, GAME, after)
        submitted = (entry for entry in entries if isinstance(entry, Submitted) and entry.faction == faction)
        return [write(order) for entry in submitted for order in entry.orders]

    def offered(self, faction: Faction) -> list[str]:
        with reading(self.world.engine) as conn:
            token = self.world.table().seats[faction].token
            rows = conn.execute(select(LAST_MAIL.c.options).where(LAST_MAIL.c.token == token)).all()
        return [option for row in rows for option in row.options]

    def mail(
        self,
        faction: Faction,
        text: str,
        *orders: str,
        offers: Sequence[str] = (),
        quoting: bool = False,
        **fields: str,
    ) -> None:
        """Send a mail; check that exactly these orders are given and that these proposals wait for a "yes"."""
        log, filed = self.world.table().entries, self.on_file(faction)
        lines = text.split("\n")
        if quoting:
            letter = self.world.newest(faction)
            lines += ["", "On Monday Mentat wrote:", *(f"> {line}" for line in letter.text.splitlines())]
            fields["In_Reply_To"] = str(letter.message["Message-ID"])
        self.deliver(self.world.mail(faction, *lines, **fields))
        self.mails += 1
        self.world.now += timedelta(minutes=1)
        new = [line for line in self.on_file(faction) if line not in filed]
        stands = list(dict.fromkeys([*self.ordered(faction, log), *new])), self.offered(faction)
        if stands != ([*orders], [*offers]):
            self.wrong.append(f"{self.mails}. {faction}: {text!r}\nordered and offered {stands}, not {orders} {offers}")

    def asked(self, *kinds: str) -> None:
        now = sorted({kind for asked in self.world.asked().values() for kind in asked})
        if now != sorted(kinds):
            self.wrong.append(f"after {self.mails}: {self.world.asked()} are asked, not {kinds}")

    def request(self) -> DeskRequest:
        return DeskRequest(self.world.moderator.open_games, GAME, self.world.now)

    def hold(self) -> None:
        clocks.hold(self.request())

    def release(self, faction: Faction, *orders: str) -> None:
        """Release the held game and check that exactly these orders of the seat are carried out."""
        log = self.world.table().entries
        release_game(self.request())
        if (stands := self.ordered(faction, log)) != [*orders]:
            self.wrong.append(f"after {self.mails}: {faction} ordered {stands}, not {orders}")

    def silence_until(self, phase: str) -> None:
        self.world.wait_until(phase)

    def sitter(self, faction: Faction) -> None:
        until = self.world.now + timedelta(days=9)
        set_sitter(self.request(), faction, SITTER, until)


def set_up(table: LiveTable) -> None:
    mail = table.mail
    mail(
        "bene-gesserit",
        "Hi Mentat,\n\nI predict Fremen turn 5.\nHmm, no, make it turn 6.\n\nThanks,\nMia",
        "predict Fremen turn 6",
    )
    mail("bene-gesserit", "Sorry, I meant turn 7")
    mail("atreides", "Otheym looks good. Fenring is tempting too, hmm.")
    mail("atreides", "Otheym", offers=["traitor Otheym"])
    mail("atreides", "Yes", "traitor Otheym", quoting=True)
    mail("atreides", "yes")
    mail("atreides", "Sorry, I'd rather have Count Fenring as my traitor", "traitor Count Hasimir Fenring")
    mail("emperor", "hello all, good luck everybody! Looking forward to this game.\n\nJim")
    mail("emperor", "I'll take Feyd", "traitor Feyd-Rautha")
    mail("fremen", "Irulan please.\n\nGreetings from Oslo", offers=["traitor Princess Irulan"])
    mail("fremen", "no")
    mail("fremen", "yes")
    mail("fremen", "traitor duncan", "traitor Duncan Idaho")
    mail("guild", "mein Verräter: Rabban", "traitor Beast Rabban")
    mail("harkonnen", "keep hawat", "traitor Thufir Hawat")
    mail("bene-gesserit", "traitor Alia", sender="somebody@else.example")
    mail("bene-gesserit", "my traitor is Staban", "traitor Staban Tuek")
    table.asked("fremen-placement")
    placed = "place 5 in Sietch Tabr, 3 in False Wall South/4, 2 in False Wall West/16"
    listed = "Sietch Tabr: 5\nFalse Wall South/4: 3\nFalse Wall West/16: 2"
    sectors = [placed, placed.replace("/16", "/17"), placed.replace("/16", "/18")]
    mail("fremen", "Sietch Tabr: 5\nFalse Wall South: 3\nFalse Wall West: 2", offers=sectors)  # in which sectors?
    mail("fremen", f"{listed}\n\nWait, this is only a draft, don't do that yet!")
    mail("fremen", listed, placed)


def storm(table: LiveTable) -> None:
    mail = table.mail
    table.asked("storm-cards")
    mail("atreides", "pass", "no storm cards")
    mail("bene-gesserit", "no storm cards\n\nWho sits next to me?", "no storm cards")
    mail("emperor", "rien", "no storm cards")
    mail("fremen", "nein, keine", "no storm cards")
    mail("guild", "Nope", "no storm cards")
    mail("harkonnen", "I have none", offers=["no storm cards"])
    mail("harkonnen", "👍", "no storm cards")
    table.asked("storm-dial")
    mail("atreides", "I dial 7 for the storm\n\nActually 8", "storm 8")
    mail("atreides", "oh, and can it be 9 instead?", offers=["storm 9"])
    mail("atreides", "9 instead of 8 please", "storm 9")
    mail("atreides", "What does the storm do to my men in Arrakeen?")
    mail("harkonnen", "storm 5?", offers=["storm 5"])
    mail("harkonnen", "ok", "storm 5")


def charity(table: LiveTable) -> None:
    mail = table.mail
    table.asked("charity")
    mail("fremen", "wow, what a storm")
    mail("guild", "do I get charity?")
    mail("bene-gesserit", "Charity!")
    mail("atreides", "no charity\n\nI have to run, my train is here :)", "no charity")
    mail(
        "emperor", "no charity for me. on card 3 I go to 8 at most.", "no charity", offers=["when card 3: bid up to 8"]
    )
    mail("emperor", "yes", "when card 3: bid up to 8")
    mail("emperor", "make it 9 instead of 8", "when card 3: bid up to 9")
    mail("guild", "card 1: up to 3\ncard 2: pass", offers=["when card 1: bid up to 3\nwhen card 2: pass"])
    mail("guild", "yes please!", "when card 1: bid up to 3", "when card 2: pass")
    mail("fremen", "pass on all cards", offers=["pass all"])
    mail("fremen", "nein danke")
    mail("harkonnen", "from now on always take charity", offers=["standing: charity"])
    mail("harkonnen", "jawohl", "standing: charity")
    mail("bene-gesserit", "nothing, thanks", "no charity")
    mail("fremen", "keine Almosen", "no charity")
    mail("guild", "rien pour moi", offers=["pass"])  # their lines on file answered, and the auction has begun


def bidding(table: LiveTable) -> None:
    mail = table.mail
    table.asked("bid")
    mail("harkonnen", "> Bid or pass?\n\ndraft:\nbid 7")
    mail("harkonnen", "bid 6\n\nI am not sure.", offers=["bid 6"])
    mail("harkonnen", "Fremen told me to bid 9.")
    mail("harkonnen", "Bid 2. Sorry, 3.", "bid 3")
    mail("harkonnen", "can I still make it 4?")
    mail("harkonnen", "sorry, make that 4")
    mail("atreides", "pass this one, the next one up to 3", offers=["pass\nwhen card 2: bid up to 3"])
    mail("atreides", "do it", "pass", "when card 2: bid up to 3")
    mail("bene-gesserit", "I bid 4 or 5", offers=["bid 4", "bid 5"])
    mail("bene-gesserit", "the second", "bid 5")
    mail("emperor", "Is the Guild still in? Anyway, bid 6.", "bid 6")
    mail("fremen", "1) pass\n2) tell guild: shall we ally?", "pass")
    table.hold()
    mail("harkonnen", "bid 7\n\nno, 8")
    table.release("harkonnen", "bid 8")
    mail("atreides", "passe", "pass")  # they had already passed, so this is for the next card
    table.silence_until("revival")


def revival(table: LiveTable) -> None:
    mail = table.mail
    table.asked("revival")
    mail("atreides", "nobody is dead")
    older = str(table.world.newest("atreides").message["Message-ID"])
    mail("atreides", "no revivval", offers=["no revival"])
    mail("atreides", "yes", offers=["no revival"], In_Reply_To=older)
    mail("atreides", "nothing", "no revival")
    mail("bene-gesserit", "nada, gracias", "no revival")
    mail("emperor", "Nobody of mine is dead, is he?")
    mail("emperor", "no thanks", "no revival")
    mail("fremen", "nein danke", "no revival")
    mail("guild", "pass", "no revival")
    mail("harkonnen", "je ne ressuscite personne", "no revival")


def movement(table: LiveTable) -> None:
    mail = table.mail
    table.asked("shipment")
    mail("harkonnen", "no shipment\nno move\n\nWhat a mess in Carthag!", "no shipment", "no move")
    mail("atreides", "Ship 3 to Carthag, no wait, 4 to Carthag.", "ship 4 to Carthag")
    mail(
        "atreides", "Then move 8 from Arrakeen to carthag\n\nSorry, 7 from Arrakeen", "move 7 from Arrakeen to Carthag"
    )
    mail(
        "bene-gesserit",
        "ship 1 to Tuek's Sietch\nno move\n\nSorry, 2 to Tuek's Sietch I mean",
        "ship 2 to Tuek's Sietch",
        "no move",
    )
    mail("bene-gesserit", "wait, that should be 3")
    mail("emperor", "Emperor here. If the Guild does not go to Tuek's Sietch I ship 5 to Arrakeen")
    mail("emperor", "envoie 5 à Arrakeen", "ship 5 to Arrakeen")
    table.sitter("emperor")
    mail(
        "emperor",
        "ok, I stay, no move please",
        "no move",
        sender=SITTER,
        to=str(table.world.newest(SITTER).message["Reply-To"]),
    )
    mail("fremen", "Send 3 to Cielago North to get the spice?")
    mail(
        "fremen",
        "move 3 from False Wall South/4 to Cielago North/3",
        "move 3 from False Wall South/4 to Cielago North/3",
    )
    mail("fremen", "no shipment this time", "no shipment")
    mail("guild", "no shipment for me this turn", "no shipment")
    mail("guild", "Nichts von mir", "no move")


def battle(table: LiveTable) -> None:
    mail = table.mail
    mail("atreides", "no prescience, thanks", "no prescience")
    table.asked("battle-plan")
    plan = "plan dial 5 leader Thufir Hawat defense Shield"
    mail("atreides", "Leader: Hawat\nDial: 5\nDefense: shield\nWeapon: none", plan)
    mail("atreides", "same plan but with Duncan", "plan dial 5 leader Duncan Idaho defense Shield")
    mail("atreides", "actually dial 6 instead of 5", "plan dial 6 leader Duncan Idaho defense Shield")
    mail("atreides", "Harkonnen, if you read this: run!\n\ntell harkonnen: will you dial 4 or 5?")
    mail(
        "harkonnen",
        "plan dial 4 leader Piter weapon crysknife\n\nRabban instead of Piter\n\nno, 5",
        "plan dial 5 leader Beast Rabban weapon Crysknife",
    )


def battles_and_collection(table: LiveTable) -> None:
    mail = table.mail
    mail("harkonnen", "argh! who has my Rabban in their pay?")
    mail("guild", "nothing\n\n3 more hours please, if somebody needs them")
    mail("atreides", "keine", "no prescience")
    mail("emperor", "plan dial 3 leader Bashar\n\nNo, Burseg", "plan dial 3 leader Burseg")
    mail("emperor", "If Atreides has played Jessica: plan dial 5 leader Burseg")
    mail("atreides", "dial 2 with Jessica\nno cards", offers=["plan dial 2 leader Lady Jessica"])
    mail("atreides", "yes, that's right", "plan dial 2 leader Lady Jessica")
    mail("bene-gesserit", "I suggest you all\ngive 2 spice to bene gesserit")
    table.silence_until("collection")
    mail("atreides", "Next turn: ship 5 to Arrakeen")
    mail("emperor", "give 2 spice to harkonnen?", offers=["give 2 spice to Harkonnen"])
    mail("emperor", "no, nothing to anybody", offers=["no transfer"])
    mail("emperor", "oui", "no transfer")
    mail("guild", "nothing", "no transfer")


PHASES = (set_up, storm, charity, bidding, revival, movement, battle, battles_and_collection)


def live_through(table: LiveTable) -> None:
    table.world.new_game(tempo="steady")
    for phase in PHASES:
        phase(table)
    assert not table.wrong, "\n\n".join(table.wrong)
    assert table.mails >= 100


def test_after_each_of_a_hundred_mails_the_game_stands_as_a_moderator_would_have_it(world: World) -> None:
    live_through(LiveTable(world, lambda raw: world.moderator.deliver(raw, world.now)))


@pytest.fixture
def post_office() -> Iterator[PostOffice]:
    """Run a real IMAP server with a mailbox for everybody, and an SMTP server in front of it."""
    if reason := why_not_here():
        pytest.skip(reason)
    everybody = (ADDRESS, GAME_MASTER, SITTER, *map(address_of, FACTIONS))
    with Dovecot(dict.fromkeys(everybody, PASSWORD)) as dovecot, PostOffice(dovecot) as office:
        yield office


def test_a_hundred_mails_through_a_real_mailbox_leave_the_same_game(
    post_office: PostOffice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MENTAT_IMAP_PASSWORD", PASSWORD)
    servers = (post_office.host, post_office.imap_port, post_office.smtp_port)
    mailbox = (
        '[mailbox]\nhost = "{}"\nport = {}\nsecurity = "none"\nuser = "{address}"\n[smtp]\nhost = "{}"\nport = {}\n'
    )
    config = mailbox.format(*servers[:2], servers[0], servers[2], address=ADDRESS)
    world = World.at(tmp_path, CONFIG.partition("[mailbox]")[0] + config + 'security = "none"\n')
    transport = open_transport(world.settings)

    def deliver(raw: bytes) -> None:
        message = email.message_from_bytes(raw)
        with smtplib.SMTP(post_office.host, post_office.smtp_port) as smtp:
            smtp.sendmail(str(message["From"]), [str(message["To"])], raw)
        taken = poll(world.moderator, open_mailbox(world.settings), lambda: world.now)
        assert taken.messages == 1
        send(world.outbox, transport, world.now)

    live_through(LiveTable(world, deliver))
    sent = [posted.recipients[0] for posted in post_office.sent if ADDRESS not in str(posted.recipients)]
    assert sum(recipient in map(address_of, FACTIONS) for recipient in sent) > 100
    world.engine.dispose()
