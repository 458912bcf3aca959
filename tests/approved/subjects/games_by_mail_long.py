"""More games by mail, for what seldom comes about (``games_by_mail``): only where everything is run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.approved.by_mail import FOUR, GAMES_BY_MAIL, REY, script, told, vary
from tests.approved.subject import Subject, without_hashes

FORUM: dict[str, Any] = {"kind": "paste", "dialect": "markdown"}
NEXT = ["due", "until", 1]
HERE = {"forum": "arrakis"}
SAM, ANN, BOB, CLEO, DORA = (f"{name}@elsewhere.example" for name in ("sam", "ann", "bob", "cleo", "dora"))
FIVE = ("atreides", "emperor", "fremen", "guild", "harkonnen")


def _seeds() -> Iterator[str]:
    yield from _of_players()
    yield from _of_the_desk()
    yield from _of_press()
    yield from _of_clocks()
    yield from _of_mail()
    yield from _of_forums()
    yield from _at_the_machine()


def _of_players() -> Iterator[str]:
    yield script([
        ["says", 0, "guild", "help\nhelp when\nhelp deal conditions\nhelp all"],
        ["says", 0, "guild", "rules\nrules AH.VIII.B.2\nrules xyzzy\nrules rulings\nrules storm"],
        ["says", 0, "guild", "archive\narchive name Edric the Guildsman\narchive name <b>x</b>\narchive listed yes"],
        ["says", 0, "guild", "rating\nrating private\nforum\nforum name edric\nforum off\nmap"],
        ["says", 0, "guild", "waking 25:00 to 3\nwaking all day\ntimezone Mars/Olympus\nletters some\nletters wanted"],
        ["says", 0, "guild", "absent 2020-01-01 to 2020-01-05\nabsent 2024-11-26 to 2024-12-08"
         "\nabsent 10 Dec to 11 Dec"],
        ["says", 0, "guild", "absent 2025-01-25 to 2025-01-25\nabsent 2025-01-26 to 2025-01-26\nno absence"],
        ["says", 0, "atreides", "extend 0\nextend 48\nextend 24\nextend 1\npress to gm: one\npress to gm: one"],
        ["says", 0, "atreides", "freeze"], ["says", 0, "atreides", "status"], ["answers", "atreides", "status"],
        ["waits", 72],
    ])  # fmt: skip
    yield script([
        *(["says", 0, "guild", f"hello number {number}"] for number in range(5)), ["says", 0, "guild", "hello"],
        ["says", 0, "guild", "status"], ["says", 0, "guild", "hello"],
        ["says", 0, "guild", "\n".join(f"press to gm: {number}" for number in range(7))], ["says", 0, "guild", ""],
    ])  # fmt: skip
    yield script([
        ["says", 0, "guild", "standing: charity\nstanding: pass\nwhen card 1: bid up to 4"
         "\nwhen price > 3: pass\norders"],
        ["says", 0, "guild", "no move twice\nask me if turn 2\nwhen somebody wins: laugh"
         "\ncancel standing: pass\norders"],
        ["says", 0, "harkonnen", "deal with guild: leave me Tuek's Sietch; I pay 2"
         "\ndeal with atreides: peace; if turn 2"],
        ["says", 0, "guild", "accept\ndeals\ndeal with guild: x"], ["says", 0, "atreides", "decline\ncancel orders"],
        NEXT, NEXT, ["says", 0, "guild", "cancel standing\norders\nbid\nship 3\nmove 2 from nowhere to Arrakeen"], NEXT,
        ["says", 0, "guild", "no storm cards?\nI bid five\nweather control 3\nstorm 3"], NEXT,
    ], {"tempo": "steady"})  # fmt: skip
    yield script([
        ["says", 0, "guild", "I bid five.\nbid up to 3\nstatus"], ["says", 0, "atreides", "I pass"], NEXT,
        ["says", 0, "harkonnen", "bid 4?\npass!"], ["says", 0, "harkonnen", "help\nbid 99"], NEXT,
        ["says", 0, "guild", "traitor Alia"], ["says", 0, "atreides", "help now\nhistory"],
    ], {"until": ["bidding", 1]}, mentat={"plain_words": "propose"})  # fmt: skip
    yield script([
        ["says", 0, "guild", "help\nno shipment\nship 2 to Arrakeen"], NEXT, ["says", 0, "harkonnen", "help\nno move"],
        ["says", 0, "atreides", "move 4 from Arrakeen to Imperial Basin\nno shipment"], NEXT, NEXT,
        ["says", 0, "guild", "history\norders"],
    ], {"until": ["movement", 1], "seats": FIVE, "options": {"max_turns": 2}})  # fmt: skip


def _of_the_desk() -> Iterator[str]:
    yield script([
        ["master", 0, "help\nstatus?\npress\nacts\nstatsu\nconfirm"],
        ["master", 0, "dry run\npause\nbank guild +2\nend void"],
        ["master", 0, "pause"], ["master", 0, "pause\nextend 5\nhold\nhold\nprocess\nrelease"], ["waits", 50],
        ["master", 0, "resume\nresume\nrelease"],
        ["master", 0, "bank guild -9\nbank guild +1440\nbank guild +1441\nbank emperor 1"],
        ["master", 0, "extend 0\nextend 8760\nextend 8761\nextend 1.5"],
        ["master", 0, "default guild bid\ndefault guild traitor"],
        ["master", 0, "caretaker guild off\ncaretaker guild on"],
        ["master", 0, "caretaker guild on\nremind guild\nexcuse guild"],
        ["says", 0, "guild", "status\npress to all: hi"], ["says", 0, "guild", "traitor Alia"],
    ])  # fmt: skip
    yield script([
        ["master", 0, f"grant arbiter {ANN}\ngrant clerk {BOB}\ngrant auditor {CLEO}\ngrant king {CLEO}"],
        ["master", 0, f"grant clerk {BOB}"], ["master", 0, "pause\nrule: So be it.\ncaretaker guild on\nwaits", ANN],
        ["master", 0, "pause\nrule: So be it.\nacts\norder guild: pass", BOB],
        ["master", 0, "pause\nwaits\nacts", CLEO],
        ["master", 0, f"revoke {ANN}\nrevoke {DORA}\ngrant arbiter guild@players.example"], ["master", 0, "waits", ANN],
        ["master", 0, f"handover {DORA}"], ["answers", DORA, "confirm"], ["master", 0, "waits"],
        ["master", 0, "waits", DORA],
        ["runs", "game acts sietch-12"],
    ])  # fmt: skip
    yield script([
        ["master", 0, "note guild: asks much\nnote: keep an eye on them\nask guild: why?\nask harkonnen: and you?"],
        ["answers", "guild", "Because of the worm.\nstorm 3"], ["answers", "guild", "Once more."], ["runs", "desk"],
        ["master", 0, "tell all: a letter of\nseveral lines\nend tell\nmute guild\nmute guild\nunmute fremen"],
        ["says", 0, "guild", "press to all: hello\ndeal with atreides: peace; I pay 1\npress to gm: let me"],
        ["master", 0, "unmute guild\nunmute guild\nrule WBC.X.32: So be it.\nrule nonsense.1: x"],
        ["runs", "game note sietch-12"],
        ["master", 0, "blind\npredict\norder guild: status"], ["master", 0, "why: fraud\nbreak glass"],
        ["master", 0, "predict\npress none"], ["says", 0, "guild", "press to all: hello\nrules rulings"],
    ])  # fmt: skip
    yield script([
        ["master", 0, f"sitter guild {SAM} until 2024-11-25\nsitter guild {SAM} until 2025-02-01\nsitter guild off"],
        ["master", 0, f"sitter guild {SAM} until 2024-11-28"], ["master", 0, f"sitter guild {ANN} until 2024-11-29"],
        ["master", 0, f"sitter atreides {ANN} until 2024-11-29\nreplace guild harkonnen@players.example"],
        ["answers", ANN, "traitor Captain Iakin Nefud\nextend 2\npress to all: hello\nsitter off\nresign"],
        ["says", 0, "guild", "status\nsitter off"],
        ["master", 0, f"observe {ANN} full delay 2 consent all\nobserve {BOB}"],
        ["master", 0, f"sitter guild {BOB} until 2024-11-29\nsitter guild {ANN} until 2024-11-29"],
        ["master", 0, f"freeze guild\naddress guild {DORA}\naddress guild {ANN}"], ["waits", 60],
        ["master", 0, f"ban {DORA} until 2024-12-31\nunban {DORA}"], ["master", 0, f"unban {DORA}\nban {DORA}"],
    ], {"press": "gunboat"}, identity={"declare_sitters": False})  # fmt: skip
    yield script([
        ["runs", "game rollback sietch-12 --turn 9"],
        ["runs", "game rollback sietch-12 --turn 1 --phase bidding --dry-run"],
        ["runs", "game position sietch-12 'spice guild +999'"], ["runs", "game hold sietch-12"],
        ["says", 0, "guild", "bid 1\nstanding: pass"], ["runs", "game rollback sietch-12 --entries 3 --why quarrel"],
        ["runs", "game release sietch-12"], ["says", 0, "guild", "status\norders"], NEXT,
        ["runs", "game rollback sietch-12 --undo"],
        ["runs", "game log sietch-12 --as guild"], ["runs", "game end sietch-12 --last-turn 1"],
        ["runs", "game end sietch-12 --adjudicated guild --adjudicated atreides --why late"],
        ["runs", "game export sietch-12 r.json"],
        ["runs", "game verify r.json"], ["runs", "game log sietch-12 --as public"],
    ], {"until": ["bidding", 1]})  # fmt: skip
    yield script([
        ["runs", "game replace sietch-12 guild atreides@players.example"],
        ["runs", "game replace sietch-12 fremen x@y.example"],
        ["runs", f"game replace sietch-12 guild {DORA} --name Dora --why gone --tell Welcome."], NEXT,
        ["says", 0, "guild", "status"], ["answers", DORA, "status\nabsent 28 Nov to 30 Nov\nstanding: pass"],
        ["runs", f"game replace sietch-12 guild {CLEO}"], ["runs", f"game replace sietch-12 guild {CLEO}"],
        ["master", 0, f"ban {ANN}"], ["master", 0, f"replace guild {ANN}"], ["runs", "person list"], NEXT,
        ["runs", "game delete sietch-12"], ["runs", "game end sietch-12 --void"],
        ["runs", f"game replace sietch-12 guild {BOB}"],
    ], {"press": "open,language"}, clock={"bank_hours": 4})  # fmt: skip
    yield script([
        ["master", 0, "delete game"], ["says", 0, "guild", "status"],
        ["runs", "game new --id sietch-12 --ruleset ah-basic"],
        ["runs", "game new --id other --ruleset ah-basic --seat guild=a@x.example --seat atreides=b@x.example"
         " --seed spice --press grey --tempo swift"],
        ["runs", "game new --id other2 --ruleset ah-basic --draw c@x.example --draw d@x.example --draw e@x.example"
         " --seed spice --archive delayed:2"],
        ["runs", "game list"], ["runs", "game options other"], ["runs", "game delete other"],
        ["runs", "game list --json"],
    ])  # fmt: skip
    yield script([
        ["master", 0, "if: 1/storm\npause\nif: 9\nresume\nif: x\nresume"],
        ["master", 0, "clock step_hours=12\nclock nonsense=1"],
        ["runs", "game clock sietch-12"], ["runs", "game show sietch-12 --as gm"],
        ["runs", "game show sietch-12 --as guild"],
        ["master", 0, "last turn 1\nlast turn 15\nlast turn 16"],
        ["master", 0, "position: spice guild +3; tanks guild 2\nundo rollback"],
        ["master", 0, "preview 1/setup\npreview 7/storm\nrollback 1/setup consent guild"], NEXT,
        ["master", 0, "process"],
        ["due", "due", 1], ["master", 0, "process"], ["runs", "game predict sietch-12"],
    ], {"tempo": "swift"}, clock={"grace_hours": 6})  # fmt: skip
    yield script([
        ["runs", f"game observe sietch-12 {ANN} --delay 20"], ["runs", f"game observe sietch-12 {BOB} --delay 21"],
        ["master", 0, f"observe {ANN}\nobserve {BOB} delay 1\nobserve {CLEO} full delay 1 consent all"],
        ["master", 0, f"observe {CLEO} full delay 2 consent guild\nunobserve {DORA}"],
        ["runs", f"game observe sietch-12 {DORA}"], *[NEXT] * 4, ["answers", DORA, "unsubscribe"],
        ["writes", DORA, "", "unsubscribe", "unsubscribe sietch-12"], ["master", 0, "end agreed guild, harkonnen"],
        ["waits", 1],
    ], {"options": {"max_turns": 1}, "until": ["movement", 1]})  # fmt: skip


def _of_press() -> Iterator[str]:
    lines = "press to fremen: Shall we ally?\npress to all: to everybody\nunsigned press to fremen: who am I"
    more = (
        "press to fremen shown as atreides: false\nfalse readers yes\npress to all but harkonnen: x"
        "\npress to fremen:\n> a\nb\nend press"
    )
    for mode, other in (
        ("grey", "mixed,observers=white"),
        ("fake", "open,gunboat,copies-to-desk"),
        ("open,yellow", "open,postal,late"),
        ("table,must-order", "open,neighbours,archived,quota=2"),
    ):
        yield script([
            ["says", 0, "guild", lines], ["says", 1, "guild", f"{lines}\n{more}"],
            ["says", 0, "guild", f"{more}\narchive press no"],
            ["says", 0, "fremen", "false readers yes\npress to guild: indeed"],
            ["says", 1, "fremen", "report 1: rude\nreport 99"],
            ["waits", 2], ["answers", "fremen", "Yes, let us.", "", 6], ["waits", 2], ["master", 0, "press"], NEXT,
            ["runs", f"game observe sietch-13 {ANN}"], ["says", 1, "guild", "press to all: again"], ["waits", 2],
            ["runs", "game end sietch-12 --void"],
        ], {"seats": FOUR, "press": mode}, {"seats": FOUR, "press": other})  # fmt: skip
    yield script([
        ["says", 0, "guild", "press to all: You drew Captain Iakin Nefud, Staban Tuek"],
        ["says", 0, "guild", "press to all: Spice 5 reserves 15"],
        ["says", 0, "guild", "press to all: Spice 5 reserves 15"],
        ["says", 0, "guild", "press to all: Cards none\nsend anyway"],
        ["says", 0, "fremen", "press to guild: you bastard"], ["says", 0, "fremen", "press to guild: you bastard"],
        ["says", 0, "fremen", "press to guild: you idiot"], ["waits", 48], ["says", 0, "fremen", "send anyway"],
        ["says", 0, "guild", "\n".join(f"press to fremen: {number}" for number in range(21))],
        ["answers", "fremen", "> 3\nNo."],
        ["answers", "fremen", "press to nobody: keep\npress to guild"], ["master", 0, "end void"],
        ["says", 0, "fremen", "press to all: bye"],
    ], {"seats": FOUR, "press": "language"})  # fmt: skip


def _of_clocks() -> Iterator[str]:
    yield script([
        ["says", 0, "guild", "absent 27 Nov to 1 Dec"],
        ["says", 0, "atreides", "letters daily\ntimezone America/New_York"],
        ["due", "due", -1440], ["due", "due", -360], ["due", "due", 0],
        ["says", 0, "atreides", "waking 8:00 to 22:00\nextend 12"],
        NEXT, NEXT, ["says", 0, "guild", "no absence"], NEXT, ["says", 0, "harkonnen", "I am back, sorry.\nstatus"],
        NEXT,
    ], {"tempo": "steady", "clock": {"due_at": "20:00", "days_off": ["saturday", "sunday"]}},
       clock={"bank_hours": 10, "reminder_hours": [20, 6], "minimum_hours": 12})  # fmt: skip
    yield script([
        *(["says", 0, who, "status"] for who in FIVE), ["waits", 0.1], ["begins", 1, {"seats": FIVE}], ["waits", 24],
        ["runs", "desk"],
        ["says", 0, "guild", "status"], ["waits", 1], ["says", 1, "fremen", "status"], ["waits", 1], ["waits", 30],
        ["runs", "game resume"],
    ], {"seats": FIVE})  # fmt: skip
    yield script([
        *(["says", 0, who, "status"] for who in FIVE), ["waits", 0.1], ["begins", 1, {"seats": FIVE}],
        ["master", 1, "pause"],
        ["waits", 24], ["runs", "game resume"], ["master", 1, "resume"], ["waits", 24], ["waits", 24],
    ], {"seats": FIVE}, clock={"silence_players": 5, "silence_percent": 100})  # fmt: skip
    yield script([
        ["service", 0], ["mailbox", True, 0], ["service", 15], ["service", 16], ["mailbox", False, 0], ["service", 60],
        ["mailbox", True, 0], ["mailbox", False, 1], ["mailbox", True, 14], ["says", 0, "guild", "status"],
        ["master", 1, "pause"],
        ["service", 90], ["waits", 20], ["master", 1, "resume"], ["waits", 3],
    ], {"tempo": "steady"}, {})  # fmt: skip
    yield script([
        ["says", 0, "atreides", "traitor Otheym"], ["says", 1, "atreides", "resign"], ["due", "due", -361],
        ["due", "due", -359],
        NEXT, ["due", "due", -180], ["due", "due", -179], NEXT, NEXT, ["says", 0, "guild", "pass\nstatus"], NEXT,
        ["runs", "desk"],
    ], {}, {"tempo": "swift"}, clock={"reminder_hours": [12, 6, 3], "caretaker_after": 1, "grace_hours": 1},
       mentat={"desk_mail": "08:00", "desk_mail_always": True})  # fmt: skip


def _of_mail() -> Iterator[str]:
    yield script([
        ["bounces", "guild", "4.4.7"], ["bounces", "guild", "4.2.2", "delayed"], ["waits", 168],
        ["bounces", "guild", "4.4.7"],
        ["bounces", "guild", "5.7.1"], ["runs", "mail resend sietch-12 guild"],
        ["sends", {"harkonnen@players.example": "refused"}],
        ["bounces", "atreides", "5.1.1", "failed", "elsewhere@players.example"], ["says", 1, "guild", "status"],
        ["waits", 24],
        ["says", 0, "harkonnen", "status"], ["waits", 100],
    ], {}, {}, clock={"unreachable_hours": 24})  # fmt: skip
    yield script([
        ["bounces", "rey@elsewhere.example", "5.1.1"],
        ["master", 0, f"observe {ANN}\nsitter guild {SAM} until 2024-12-04"],
        ["bounces", ANN, "5.1.1"], ["bounces", SAM, "5.1.1"],
        ["program", "guild", "Out of office", "away", {"Auto-Submitted": "auto-replied"}],
        ["program", "guild", "Out of office", "away", {"Auto-Submitted": "auto-replied"}], ["waits", 168],
        ["program", "guild", "Out of office", "away", {"Auto-Submitted": "auto-replied"}],
        ["program", "atreides", "confirm your message", "Click to confirm",
         {"Auto-Submitted": "auto-replied", "X-Spam-Challenge": "yes"}],
    ])  # fmt: skip
    yield script([
        ["says", 0, "guild", "status", {"Authentication-Results": "mx.example; dkim=pass header.d=players.example"}],
        ["says", 0, "guild", "status", {"Authentication-Results": "mx.example; dkim=pass header.d=players.example",
                                        "Date": "Tue, 26 Nov 2024 20:00:00 +0000"}],
        ["says", 0, "guild", "status",
         {"Authentication-Results": "mx.example; dkim=fail", "Date": "Tue, 26 Nov 2024 20:00:00 +0000"}],
        ["says", 0, "guild", "status", {"Authentication-Results": "mx.example; dkim=pass header.d=players.example",
                                        "Date": "Tue, 12 Nov 2024 19:00:00 +0000"}],
        ["master", 0, "status"], ["waits", 30], ["again", 2], ["runs", "mail list"],
    ], identity={"mode": "token+sender+auth", "authserv_id": "mx.example"})  # fmt: skip
    yield script([
        *(["says", 0, "guild", f"status\nhelp {number}"] for number in range(4)), ["waits", 1],
        ["says", 0, "guild", "status"],
        ["says", 0, "guild", "status", {"message_id": "<same@players.example>"}],
        ["says", 0, "guild", "orders", {"message_id": "<same@players.example>"}], ["again", 1],
        ["writes", "guild@players.example", "guild 0", "Re: orders", "status"],
        ["writes", "guild@players.example", "guild 0, mentat+x@arrakis.example", "[sietch-12]", "status"],
        ["master", 0, "status"], ["master", 0, "status\nhelp"], ["runs", "mail show 1"], ["runs", "mail replay 1"],
    ], limits={"answers_per_hour": 3})  # fmt: skip
    yield script([
        ["says", 0, "guild", "address\naddress add nonsense\naddress add harkonnen@players.example"
         "\naddress use else@x.example"],
        ["says", 0, "guild", f"address add {ANN}\naddress add {BOB}"], ["answers", ANN, "confirm"],
        ["answers", BOB, "no"],
        ["says", 1, "guild", "address\nstatus", {"sender": ANN}],
        ["says", 0, "guild", f"address use {ANN}\naddress remove {ANN}"],
        ["runs", "game address sietch-12 guild"], ["runs", f"game address sietch-12 guild {CLEO}"], ["waits", 200],
        ["answers", CLEO, "status"], ["says", 0, "guild", "status"], ["says", 1, "guild", "status"],
        ["runs", f"mail delete --person {ANN} --dry-run"],
    ], {}, {})  # fmt: skip
    yield script([
        ["says", 0, "guild", "status"], ["sends", {}], ["writes", ANN, "", "Dune", "hello"],
        ["runs", "mail delete 1 --dry-run"],
        ["runs", "mail delete 1"], ["runs", "mail list"], ["master", 0, f"observe {ANN}"],
        ["runs", f"mail delete --person {ANN}"],
        ["runs", "mail delete --person guild@players.example"], ["runs", "game end sietch-12 --void"], ["waits", 240],
        ["forgets"],
        ["runs", "mail delete --older-than 20"], ["runs", "mail delete --person guild@players.example"], ["waits", 480],
        ["forgets"],
    ], retention={"days": 20, "body_days": 10})  # fmt: skip


def _of_forums() -> Iterator[str]:
    yield script([
        ["looks", 0], ["joins", "guild"], ["posts", "guild", "!no storm cards\n!bid 1\n\n> !pass\n\nstatus"],
        ["looks", 2],
        ["posts", "nobody", "hello"], ["looks", 1], NEXT, ["looks", 1], ["edits", 1, "pass"], ["edits", 2, ""],
        ["looks", 10],
        ["says", 0, "harkonnen", "forum name baron"], ["tells", "baron", "I am ABCDEF"], ["looks", 1], NEXT,
        ["looks", 1],
    ], HERE, **{"forums.arrakis": FORUM})  # fmt: skip
    yield script([
        ["looks", 0], ["joins", "guild"], ["joins", "harkonnen"], ["posts", "harkonnen", "!pass"], ["looks", 1],
        ["posts", "guild", "!bid 1\n!press to all: hello"],
        ["posts", "harkonnen", "!bid 2\n!deal with guild: peace; I pay 1"],
        ["looks", 5], ["posts", "guild", "!pass\n!accept"], NEXT, ["looks", 1],
        ["runs", "game rollback sietch-12 --turn 1 --phase bidding"],
        ["looks", 1], ["thread", True], NEXT, ["looks", 30],
    ], {"forum": "arrakis", "until": ["bidding", 1]}, **{"forums.arrakis": FORUM})  # fmt: skip
    yield script([
        ["runs", "forum show sietch-12"],
        ["runs", "forum show sietch-12 --done 1 --number 4 --url https://x.example/t/9"], ["runs", "forum status"],
        NEXT,
        ["runs", "forum open sietch-12 arrakis"], ["runs", "forum close sietch-12 --why loud"],
        ["runs", "forum status --json"],
        ["runs", "forum link sietch-12 guild --account 7 --name edric --reason so"],
        ["runs", "forum show sietch-12 --now"],
        ["runs", "desk"], ["runs", "game end sietch-12 --void"], ["runs", "forum show sietch-12 --raw"],
    ], HERE, **{"forums.arrakis": FORUM})  # fmt: skip


def _at_the_machine() -> Iterator[str]:
    yield script([
        ["arrives", 0, "guild", "traitor Captain Iakin Nefud\nstatus"], ["runs", "poll"], ["runs", "backup copy.db"],
        ["waits", 0.2], ["arrives", 0, "atreides", "traitor Otheym"], ["runs", "poll"], ["waits", 0.2],
        ["loses", "mentat.db"],
        ["runs", "restore --check copy.db"], ["runs", "restore copy.db"], ["runs", "restore --resume"], ["waits", 24],
        ["runs", "game list"],
    ])  # fmt: skip
    yield script([
        ["runs", "backup copy.db --verify all"], ["runs", "backup copy.db"], ["runs", "move --to new.db"],
        ["runs", "game list"],
        ["runs", "move --back"], ["runs", "move --back"], ["runs", "restore copy.db"],
        ["runs", "restore copy.db --replace"],
        ["runs", "game list"], ["runs", "restore copy.db --replace --from-another"], ["says", 0, "guild", "status"],
    ])  # fmt: skip
    yield script([
        ["runs", "game end sietch-12 --adjudicated guild"], ["runs", "archive policy sietch-12"],
        ["runs", "archive text sietch-12"], ["runs", "archive text sietch-12 --turn 1 --format bbcode"],
        ["runs", "archive build site"],
        ["runs", "archive policy sietch-13 --running public"],
        ["runs", "archive policy sietch-13 --running delayed:1 --after public-only"],
        ["runs", "game archive sietch-13 alone"], ["runs", "stats factions"], ["runs", "stats players --json"],
        ["runs", "rating show"],
        ["runs", "game log sietch-13 --as gm --json"], ["runs", "game options sietch-13"],
    ], {"until": ["movement", 1]}, {"seats": FOUR})  # fmt: skip
    yield script([
        ["runs", "game show sietch-12 --as public"], ["runs", "game show sietch-12 --as gm"], ["runs", "game list"],
        ["waits", 24],
        ["runs", "game list --json"], ["runs", "tick"], ["runs", "send"], ["runs", "health"],
        ["runs", "order check sietch-12 guild pass"],
        ["runs", "game remind sietch-12 guild"], ["master", 0, f"grant clerk {SAM}"],
        ["runs", "game acts sietch-12 --json"],
    ], {"seats": FOUR, "tempo": "steady"}, mentat={"timezone": "Europe/Berlin"})  # fmt: skip
    yield script([
        ["writes", REY, "", "hello", "status"], ["runs", "game grant sietch-12 clerk gm@arrakis.example"],
        ["runs", "game pause sietch-12"], ["master", 0, "pause"], ["runs", f"game grant sietch-12 director {BOB}"],
        ["runs", f"game handover sietch-12 {BOB}"], ["answers", BOB, "confirm"], ["runs", "desk"], ["waits", 20],
        ["waits", 24],
    ], {"at": {"guild": "gm@arrakis.example"}}, mentat={"desk_mail": "08:00"})  # fmt: skip


SUBJECT = Subject("games-by-mail-long", GAMES_BY_MAIL, _seeds, vary, without_hashes(told), slow=True)
