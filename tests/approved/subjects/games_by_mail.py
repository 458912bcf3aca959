"""Games by mail, in scripts of some steps: every letter that goes out, what is stored at the end, and the desk."""

from __future__ import annotations

from collections.abc import Iterator

from tests.approved.by_mail import FOUR, GAMES_BY_MAIL, script, told, vary
from tests.approved.subject import Subject, without_hashes

VACATION = {"Auto-Submitted": "auto-replied"}


def _seeds() -> Iterator[str]:
    """One script for each side of the house."""
    yield script([  # what players say about their mail
        ["says", 0, "guild", "status\nmap names dark\norders\ndeals\nrules storm\nhelp bid\nhelp xyzzy"],
        ["says", 0, "guild", "letters daily\ntimezone Europe/Berlin\nwaking 8:00 to 22:00\nabsent 28 Nov to 2 Dec"],
        ["says", 0, "atreides", "extend 24\npress to gm: How do I bid?\nabsent 3 Jan to 1 Jan\nno absence\nresign"],
        ["says", 0, "guild", "Dear Mentat,\n\nI think I shall wait.\n\nThanks!\n-- \nEdric"],
        ["again", 1], ["due", "due", -360], ["due", "due", 0], ["due", "until", 1],
        ["says", 0, "guild", "no absence\nextend 49\nhistory"],
    ], clock={"bank_hours": 5, "caretaker_on_resignation": True})  # fmt: skip
    yield script([  # letters come back
        ["bounces", "guild", "4.2.2", "delayed"], ["bounces", "guild", "5.2.2"], ["waits", 167],
        ["bounces", "guild", "5.7.1"], ["bounces", "guild", "5.1.1"], ["bounces", "guild", "5.1.1"],
        ["program", "atreides", "Out of office", "I am away.", VACATION],
        ["program", "harkonnen", "Please confirm", "Click http://x.example to deliver.", {}],
        ["waits", 26], ["says", 0, "guild", "I am here again.\nstatus"], ["waits", 24],
    ])  # fmt: skip
    yield script([  # the desk, by mail
        ["master", 0, "why: a wedding\ntell: Back on Monday.\npause\nbank guild +2\npausse\nhelp"],
        ["waits", 12], ["master", 0, "resume\nextend 24 h\nremind guild\nexcuse guild\ncaretaker guild on\nacts"],
        ["master", 0, "order guild: traitor Captain Iakin Nefud; status\nprocess"], ["due", "until", 1],
        ["master", 0, "position: spice guild +3; storm 4\nlast turn 3\nclock due_at=20:00 days_off=saturday,sunday"],
        ["master", 0, "mute guild\ntell guild, atreides: wait a day\nask guild: why?\nrule WBC.X.32: So be it."],
        ["answers", "guild", "Because of the worm."], ["says", 0, "guild", "rules rulings\npress to all: hello"],
        ["waits", 24], ["master", 0, "end agreed guild\nwaits"], ["says", 0, "guild", "press to all: well played"],
    ])  # fmt: skip
    yield script([  # on hold, and back
        ["master", 0, "hold"], ["says", 0, "guild", "traitor Captain Iakin Nefud\nstanding: pass\nstatus"],
        ["says", 0, "guild", "cancel standing: pass\nno absence"], ["waits", 30], ["master", 0, "release"],
        ["due", "until", 1], ["due", "until", 1],
        ["runs", "game rollback sietch-12 --turn 1 --phase storm --tell Slip."],
        ["runs", "game rollback sietch-12 --undo"], ["master", 0, "if: 1/storm\nrollback 1/setup\npreview 1/storm"],
        ["runs", "game log sietch-12 --as gm"], ["runs", "game verify sietch-12"],
    ])  # fmt: skip
    yield script([  # seats change hands
        ["says", 0, "guild", "sitter sam@elsewhere.example until 5 Dec\nstanding: pass"],
        ["master", 0, "sitter guild sam@elsewhere.example until 2024-11-29"],
        ["answers", "sam@elsewhere.example", "status\nextend 2\ntraitor Captain Iakin Nefud"],
        ["master", 0, "replace atreides dora@elsewhere.example\nfreeze harkonnen"],
        ["says", 0, "atreides", "status"], ["answers", "dora@elsewhere.example", "status\nstanding: pass\norders"],
        ["master", 0, "address guild edric@elsewhere.example\nban dora@elsewhere.example"],
        ["master", 0, "warn sam@elsewhere.example: Tone."],
        ["says", 0, "guild", "status"], ["waits", 72], ["answers", "sam@elsewhere.example", "status"],
    ])  # fmt: skip
    yield script([  # words between players
        ["says", 0, "guild", "press to fremen: Shall we ally?\npress to all but harkonnen: not the Baron"],
        ["says", 0, "guild", "unsigned press to fremen: who am I\npress to emperor: not here\npress: hello"],
        ["says", 0, "fremen", "press to guild: you idiot\nreport 1: rude\nsend anyway\nreport 9"], ["waits", 2],
        ["answers", "fremen", "Yes, let us.\nstatus", "", 6], ["answers", "guild", "press to fremen: indeed", "", 3],
        ["master", 0, "press\nmute fremen\npress public, quota=3"], ["says", 0, "fremen", "press to all: no"],
        ["says", 0, "guild", "press to fremen: 1\npress to all: 2\npress to all: 3\npress to all: 4"],
        ["waits", 2], ["master", 0, "unmute fremen\nend void"],
    ], {"seats": FOUR, "press": "open,language"})  # fmt: skip
    yield script([  # silence for turns
        ["says", 0, "atreides", "traitor Otheym\nstanding: pass"], ["due", "due", -1441], ["due", "due", -361],
        ["due", "due", 1], ["due", "until", 0], ["due", "until", 1], ["says", 0, "atreides", "no storm cards"],
        ["due", "until", 1], ["due", "until", 1], ["due", "until", 1], ["says", 0, "harkonnen", "pass\nstatus"],
        ["due", "until", 1], ["due", "until", 1],
    ], {"tempo": "steady"}, clock={"bank_hours": 2, "reminder_hours": [24, 6], "grace_hours": 2, "caretaker_after": 2,
                                    "step_hours": 30})  # fmt: skip
    yield script([  # two games of the same persons, and everybody falls silent
        ["says", 0, "atreides", "traitor Otheym"], ["says", 1, "guild", "status"], ["says", 1, "harkonnen", "status"],
        ["says", 0, "guild", "traitor Captain Iakin Nefud\ndeal with harkonnen: I lose in sietch-13 if you win"],
        ["says", 0, "harkonnen", "traitor Master Bewt"], ["due", "due", 1], ["due", "until", 1], ["waits", 30],
        ["waits", 30], ["says", 0, "guild", "status"], ["says", 0, "harkonnen", "status"], ["waits", 1],
        ["runs", "desk"],
    ], {}, {}, clock={"silence_players": 2, "silence_percent": 50})  # fmt: skip
    yield script([  # the machine fails
        ["service", 0], ["mailbox", True, 1], ["mailbox", False, 1], ["waits", 30], ["mailbox", True, 5],
        ["sends", {"guild@players.example": "refused", "atreides@players.example": "deferred"}], ["service", 14],
        ["service", 60], ["sends", {"atreides@players.example": "deferred"}], ["waits", 120],
        ["sends", {}], ["forgets"], ["waits", 720], ["forgets"],
    ], retention={"days": 20, "body_days": 10})  # fmt: skip
    yield script([  # strangers, forgers, and mail in two minds
        ["writes", "ann@elsewhere.example", "", "Dune", "I want to play Dune."],
        ["writes", "ann@elsewhere.example", "guild 0", "Re: orders", "status"],
        ["writes", "guild@players.example", "harkonnen 0", "Re: orders", "traitor Master Bewt"],
        ["writes", "gm@arrakis.example", "", "help", "status\nfreeze"],
        ["writes", "mentat@arrakis.example", "", "Re: orders", "status", {"X-Mentat": "game=sietch-12"}],
        ["says", 0, "guild", "status", {"Cc": "mentat+aaaabbbbccccdddd@arrakis.example"}],
        ["says", 0, "guild", "address add edric@elsewhere.example"], ["answers", "edric@elsewhere.example", "confirm"],
        ["says", 0, "guild", "status\naddress use edric@elsewhere.example", {"sender": "edric@elsewhere.example"}],
        ["says", 0, "guild", "address remove guild@players.example\naddress", {"sender": "edric@elsewhere.example"}],
        ["says", 0, "guild", "status"], ["runs", "mail list"],
    ])  # fmt: skip
    yield script([  # who watches
        ["runs", "game observe sietch-12 ann@elsewhere.example"],
        ["runs", "game observe sietch-12 bob@elsewhere.example --delay 1"],
        ["master", 0, "observe cleo@elsewhere.example full delay 2 consent all\nobserve guild@players.example"],
        ["due", "until", 1], ["due", "until", 1], ["due", "until", 1],
        ["answers", "ann@elsewhere.example", "unsubscribe"],
        ["bounces", "bob@elsewhere.example", "5.1.1"], ["master", 0, "unobserve cleo@elsewhere.example\npredict\nacts"],
        ["runs", "game end sietch-12 --void --why nobody"], ["runs", "game acts sietch-12"],
    ])  # fmt: skip
    yield script([  # a bidding round, sheets and deals
        ["says", 0, "guild", "standing: pass\nwhen card 1: bid up to 3\norders\ndeal with harkonnen: peace; I pay 1"],
        ["says", 0, "harkonnen", "accept\ndeals\nbid 1"], ["says", 0, "atreides", "bid 2"],
        ["says", 0, "harkonnen", "pass\nbid 3\nship 3"], ["due", "until", 1], ["says", 0, "atreides", "cancel\npass"],
        ["due", "until", 1], ["says", 0, "guild", "orders\nhistory\ncancel deal 1"], ["due", "until", 1],
    ], {"until": ["bidding", 1]})  # fmt: skip


SUBJECT = Subject("games-by-mail", GAMES_BY_MAIL, _seeds, vary, without_hashes(told), slow=True)
