"""Strangers' mails from phones, written without regard to the parser's vocabulary. Each is carried out, or answered
with the exact line that was meant; mails without a request change no seat."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.lobby.lines import Known
from bot.lobby.reading import read_mail
from bot.lobby.requests import OpenTable, line_of
from tests.lobby.test_words_of_people import CHANGES_A_SEAT, TODAY, table

TABLES = (table("arrakeen-7", 4), table("tabr-4", 1, tempo="table", title="Slow and friendly"))
NOTHING = Known(tables=TABLES, today=TODAY)
SEATED = Known(tables=TABLES, today=TODAY, mine=("arrakeen-7",), answers="arrakeen-7")

MAILS: Sequence[tuple[Known, str, str]] = (
    (NOTHING, "hey, got any tables going? wouldnt mind a game", "games"),
    (NOTHING, "Hi! my friend told me about this. How do I get into a game?", "games"),
    (NOTHING, "id like a seat at arrakeen-7 plz", "join arrakeen-7"),
    (NOTHING, "pls add me to arrakeen-7", "join arrakeen-7"),
    (NOTHING, "ill have one of the seats in tabr-4, cheers\n\nSent from my iPhone", "join tabr-4"),
    (NOTHING, "jion arrakeen-7", "join arrakeen-7"),
    (NOTHING, "can i still get in on the slow one?", "join tabr-4"),
    (NOTHING, "arrakeen-7 sounds good, deal me in", "join arrakeen-7"),
    (
        NOTHING,
        "Put my name on the list for arrakeen-7 and I'd like to be Atreides if nobody minds",
        "join arrakeen-7 with atreides",
    ),
    (NOTHING, "Join arrakeen-7, anyone except the Emperor for me", "join arrakeen-7 with *, emperor"),
    (
        NOTHING,
        "arrakeen-7 for me please. fremen first choice, then guild, then whatever",
        "join arrakeen-7 with fremen, guild",
    ),
    (
        NOTHING,
        "I'm Petra, I want to play in tabr-4, favourite is the Bene Geserit",
        "join tabr-4 with bene-gesserit as Petra",
    ),
    (NOTHING, "whichever game starts soonest, I'm up for it", "join arrakeen-7"),
    (NOTHING, "My brother and I both want to join arrakeen-7", "join arrakeen-7"),
    (NOTHING, "is arrakeen-7 full yet?", "games"),
    (NOTHING, "how many are still missing in arrakeen-7?", "games"),
    (NOTHING, "what does steady mean? how often do i have to write", "help"),
    (NOTHING, "How long does a game take? I have a job and two kids", ""),
    (NOTHING, "Do I need to own the board game to play?", "games"),
    (NOTHING, "I'd join arrakeen-7 but I'm away until Sunday, is that a problem?", "join arrakeen-7"),
    (NOTHING, "maybe I'll join arrakeen-7 next week", "join arrakeen-7"),
    (NOTHING, "don't sign me up yet, just looking", ""),
    (NOTHING, "I played Dune years ago with arrakeen-7 style rules, loved it", ""),
    (SEATED, "sorry guys something came up at work, i have to pull out of arrakeen-7", "leave arrakeen-7"),
    (SEATED, "Please remove me from arrakeen-7", "leave arrakeen-7"),
    (SEATED, "i cant play after all :(", "leave arrakeen-7"),
    (SEATED, "give my seat to someone else please", "leave arrakeen-7"),
    (SEATED, "I quit", "leave arrakeen-7"),
    (SEATED, "I'm not leaving, just wondering when we start", "my games"),
    (SEATED, "should I drop out if I'm on holiday the first week?", "leave arrakeen-7"),
    (SEATED, "changed my mind, I'd rather be the Guild", "wishes guild at arrakeen-7"),
    (SEATED, "can i be harkonen?", "wishes harkonnen at arrakeen-7"),
    (SEATED, "Forget my wishes, I'll take what comes", "wishes * at arrakeen-7"),
    (SEATED, "not the emperor please, otherwise I don't care", "wishes *, emperor at arrakeen-7"),
    (SEATED, "who else is in?", "my games"),
    (SEATED, "Is anything happening? Haven't heard from you in a week", "my games"),
    (SEATED, "leave arrakeen-7 and put me in tabr-4 instead", "leave arrakeen-7\njoin tabr-4"),
    (SEATED, "move me to the slow one please", "leave arrakeen-7\njoin tabr-4"),
    (NOTHING, "I want to start a new table for five people, slow pace", "open a game: 5 players, table"),
    (NOTHING, "Could you set up a game for me? six players, classic rules", "open a game: 6 players"),
    (NOTHING, "new game please", "games"),
    (NOTHING, "open a table, fast, should begin before christmas", "open a game: swift, starts by 2026-12-25"),
    (
        NOTHING,
        "I want a private game with my mates tom@mates.example.org and jill@mates.example.org",
        "open a game: private",
    ),
    (NOTHING, "host a game where the rest is filled up by computers", "open a game: computers"),
    (
        SEATED,
        "please invite my friend sue@friends.example.org to arrakeen-7",
        "invite sue@friends.example.org to arrakeen-7",
    ),
    (SEATED, "sue@friends.example.org would like to join us", "invite sue@friends.example.org to arrakeen-7"),
    (SEATED, "lets get going, no point waiting any longer", "start arrakeen-7"),
    (SEATED, "Cancel the table, nobody's coming", "close arrakeen-7"),
    (SEATED, "can you keep arrakeen-7 open for another week?", "prolong arrakeen-7"),
    (SEATED, "fill the empty seats with bots and begin", "start arrakeen-7 with computers"),
    (NOTHING, "arrakeen-7 is full? then let me know if a place frees up", "wait arrakeen-7"),
    (NOTHING, "i'd be happy to sub in for someone who vanishes", "standby"),
    (NOTHING, "no longer available as a substitute, take me off please", "standby off"),
    (NOTHING, "send me a note whenever there's a new table", "weekly"),
    (NOTHING, "stop mailing me every week", "stop weekly"),
    (NOTHING, "which games have I signed up for?", "my games"),
    (NOTHING, "join arrakeen-7. Also send me the list every week", "join arrakeen-7\nweekly"),
    (NOTHING, "tabr-4 looks nice. I'm in. Btw is there chess too?", "join tabr-4"),
    (NOTHING, "Thanks for the great evening yesterday, we should play again some time", ""),
    (SEATED, "I'd pay 4 for the Guild, 2 for Emperor, nothing for the rest", "wishes guild, emperor at arrakeen-7"),
    (NOTHING, "yo is there space in tabr-4 for me", "join tabr-4"),
    (NOTHING, "Id lvoe to play arrakeen-7, as the harkonens", "join arrakeen-7 with harkonnen"),
    (NOTHING, "arrakeen-7 pls, guild or atreidis", "join arrakeen-7 with guild = atreides"),
    (NOTHING, "tabr-4: anything but fremmen. name's Otto", "join tabr-4 with *, fremen as Otto"),
    (NOTHING, "does arrakeen-7 have room or should I wait for another", "join arrakeen-7"),
    (SEATED, "can you swap me over to tabr-4", "leave arrakeen-7\njoin tabr-4"),
    (SEATED, "when do we kick off?", "my games"),
    (SEATED, "any idea how soon this begins", "my games"),
    (SEATED, "I won't be leaving, but who is in so far?", "my games"),
    (SEATED, "first choice Emperor, second choice Guild", "wishes emperor, guild at arrakeen-7"),
    (SEATED, "no harkonnen for me, rest is fine", "wishes *, harkonnen at arrakeen-7"),
    (SEATED, "I'd take Fremen, otherwise whatever", "wishes fremen at arrakeen-7"),
    (NOTHING, "set up something for me and my mates, closed", "open a game: private"),
    (NOTHING, "mail me each time a new game opens", "weekly"),
    (NOTHING, "join arrakeen-7 and put me on the weekly list", "join arrakeen-7\nweekly"),
    (
        SEATED,
        "add kim@x.example.org and lou@x.example.org to my table",
        "invite kim@x.example.org lou@x.example.org to arrakeen-7",
    ),
    (SEATED, "could arrakeen-7 stay open longer? people are on holiday", "prolong arrakeen-7"),
    (SEATED, "begin please, the four of us are enough", "start arrakeen-7"),
    (SEATED, "hold on, a fifth friend wants in, start on sunday", "hold arrakeen-7 until 2026-12-06"),
    (SEATED, "sadly have to bow out", "leave arrakeen-7"),
    (SEATED, "out", ""),
    (NOTHING, "how do i know when my game starts", "my games"),
    (NOTHING, "what's the catch? is it free?", ""),
    (NOTHING, "can a beginner join tabr-4?", "join tabr-4"),
    (NOTHING, "I'm free only at weekends, which game fits?", "games"),
    (NOTHING, "sign up my husband hal@h.example.org and me for arrakeen-7", "join arrakeen-7"),
    (NOTHING, "I have never played. is that ok", ""),
    (SEATED, "bid 3 on emperor", "worths emperor 3 at arrakeen-7"),
    (NOTHING, "count me out of everything, thanks", "leave all"),
    (NOTHING, "my dog ate the rule book lol", ""),
)


@pytest.mark.parametrize(("known", "text", "meant"), MAILS, ids=[text[:30] for _, text, _ in MAILS])
def test_a_mail_is_done_or_asked_back_with_what_it_means(known: Known, text: str, meant: str) -> None:
    read = read_mail(text.split("\n"), known)
    assert [request for request in read.requests if isinstance(request, CHANGES_A_SEAT)] == [] or meant
    if meant and meant not in read.options:
        assert "\n".join(map(line_of, read.requests)) == meant
    if not meant:
        assert read.requests == ()
        assert read.options == ()


def test_bids_are_asked_about_or_noted_where_factions_are_sold() -> None:
    sold = OpenTable(
        **{name: getattr(TABLES[0], name) for name in TABLES[0].__struct_fields__} | {"factions": "auction"}
    )
    known = Known(tables=(sold, TABLES[1]), today=TODAY, mine=("arrakeen-7",), answers="arrakeen-7")
    for text in ("I'd pay 4 for the Guild, 2 for Emperor, nothing for the rest", "Guild 4, Emperor 2"):
        assert [line_of(each) for each in read_mail([text], known).requests] == [
            "worths guild 4, emperor 2 at arrakeen-7"
        ]
    for text in ("well, for the Guild I might go up to 4 I think", "could I pay 4 for the Guild?"):
        read = read_mail([text], known)
        assert read.requests == ()
        assert read.options == ("worths guild 4 at arrakeen-7",)
