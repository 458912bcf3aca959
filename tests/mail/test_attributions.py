"""Which lines near a quote are removed as a mail program's attribution, and which remain the player's."""

from __future__ import annotations

import pytest

from bot.mail.lines import plain_lines
from bot.mail.quotes import trim_quotes

ADDRESS = "mentat@arrakis.example"
FRAMES = {
    "above text": "bid 4\n\n{}\n\nold words\nand more",
    "right above text": "bid 4\n{}\nold words\nand more",
    "above a quote": "bid 4\n\n{}\n> old words",
    "above a quote, apart": "bid 4\n{}\n\n\n> old words\n\npass",
    "below a quote": "> old words\n{}\n\nbid 4",
    "below a quote, apart": "> old words\n\n{}\n\nbid 4",
    "at the end": "bid 4\n\n{}",
}
TAKEN = [
    ("XXxxXXx", "On Sun, Nov 22, 2026 at 4:50 AM Mentat <mentat@arrakis.example> wrote:"),
    ("XXxxXXx", "On Sun, Nov 22, 2026 at 4:50 AM\nMentat <mentat@arrakis.example> wrote:"),
    ("XXxxXXx", "On Sun, Nov 22, 2026\nat 4:50 AM\nMentat <mentat@arrakis.example>\nwrote:"),
    ("PPppPPp", "On Sun,\nNov 22, 2026\nat 4:50 AM\nMentat <mentat@arrakis.example>\nwrote:"),
    ("XXxxXXx", "On Sun, Nov 22, 2026 at 4:50 AM Mentat wrote:"),
    ("XXxxxx-", "On Sun, Nov 22, 2026 at 4:50 AM Mentat wrote"),
    ("XXxxXXx", "On Sun Mentat wrote:"),
    ("XXxx--x", "On Sun I wrote:"),
    ("XXxxXX-", "Mentat wrote:"),
    ("-------", "and then Mentat wrote: hello"),
    ("XXxxXX-", "I wrote at 10:30:"),
    ("XXxxXX-", "Mentat <mentat@arrakis.example>:"),
    ("--xx---", "Mentat <mentat@arrakis.example>"),
    ("XXxxxx-", "Mentat <mentat@arrakis.example> 22.11.2026 04:50"),
    ("XXxxxx-", "Mentat mentat@arrakis.example 22.11.2026 04:50"),
    ("--xxxx-", "von Mentat mentat@arrakis.example am Sonntag den 22.11.2026 04:50"),
    ("XXxxxx-", "one two three four five Mentat <mentat@arrakis.example> 22.11.2026 04:50"),
    ("XXxxxx-", "one two three four five six Mentat <mentat@arrakis.example> 22.11.2026 04:50"),
    ("XXxx---", "one two three b@x.example 22.11.2026 04:50"),
    ("-------", "one two three four b@x.example 22.11.2026 04:50"),
    ("-------", "b@x.example 22.11.2026"),
    ("-------", "b@x.example 04:50"),
    ("XXxxXX-", "22.11.2026 04:50, Mentat:"),
    ("XXxxXX-", "22.11.2026 04:50, one two three four five:"),
    ("--xx---", "22.11.2026 04:50, one two three four five six:"),
    ("--xx---", "by 22.11.2026 04:50:"),
    ("XXxxXX-", "By 22.11.2026 04:50:"),
    ("--xx---", "22.11.2026, Mentat:"),
    ("--xx---", "04:50, Mentat:"),
    ("-------", "On 2026-11-22 04:50,"),
    ("XXxx---", "On Sunday 22.11.2026, 4:50 pm,"),
    ("-------", "[22.11.2026 04:50] Mentat"),
    ("XXxx---", "Mentat [on 22.11.2026 04:50]"),
    ("-------", "Mentat [on 22.11.2026]"),
    ("XXxx---", "[on 22.11.2026 04:50]"),
    ("-------", "[22.11.2026 04:50]"),
    ("XXxx---", "Mentat ---22.11.2026 04:50:10--- bid"),
    ("XXxXXX-", ">>> Mentat <mentat@arrakis.example> 22.11.2026 4:50 >>>"),
    ("XXxxXXx", "Am 22.11.2026 um 04:50 schrieb Mentat:"),
    ("XXxxXXx", "Am 22.11.2026 um 04:50 schrieb\nMentat:"),
    ("--xxxx-", "Am 22.11.2026 um 04:50 schrieb Mentat: what is your bid"),
    ("XXxx--x", "Am Sonntag schrieb Mentat:"),
    ("XXxxXXx", "Le 22/11/2026 à 04:50, Mentat a écrit :"),
    ("XXxxXXx", "Le dim. 22 nov. 2026 à 04:50,\nMentat <mentat@arrakis.example> a\nécrit :"),
    ("XXxxXX-", "2026年11月22日 4:50 Mentat <mentat@arrakis.example>:"),
    ("XXxxXX-", "el 22/11/2026 mentat@arrakis.example:"),
    ("--xx---", "see you at 10:30:"),
    ("PPxxPP-", "Mentat <\nmentat@arrakis.example> wrote:"),
    ("XX--XX-", "On Sun, Nov 22, 2026 at 4:50 AM Mentat <\n> mentat@arrakis.example> wrote:"),
    ("XXxxXXx", "On Sun, Nov 22, 2026 at 4:50 AM Mentat <mentat@arrakis.example\n> wrote:"),
    ("XXxXXXx", "-----Original Message-----"),
    ("--xX--x", "---- movement ----"),
    ("XXxxXXx", "---- On Sun, 22 Nov 2026 04:50 Mentat wrote ----"),
    ("XXxXXXx", "---- Mentat mentat@arrakis.example ----"),
    ("XXxXXXx", "From mentat@arrakis.example Sun Nov 22 04:50:00 2026"),
    ("xxxXxxx", "______________________________"),
    ("xxxxxxx", "_____________________________"),
    ("PPxxPPx", "--------\nTo: baron\nSubject: bid\n22.11.2026 04:50, Mentat <mentat@arrakis.example>:"),
    ("PPppPPx", "To: baron\nSubject: bid\n22.11.2026 04:50, Mentat <mentat@arrakis.example>:"),
    ("XXxXXXx", "From: Mentat <mentat@arrakis.example>\nSent: Sunday 22.11.2026 04:50\nTo: Baron\nSubject: bid"),
    ("XXxX--x", "From: Mentat <mentat@arrakis.example>\nTo: Baron"),
    ("XXxxXXx", "From: Mentat <mentat@arrakis.example> Sent: 22.11.2026 To: Baron Subject: bid"),
    ("XXxxXXx", "Date: 22.11.2026\nFrom: Mentat <mentat@arrakis.example>\nTo: Baron"),
    ("PPpPPPp", "press to guild: wait\nFrom: Guild\nTo: Baron\nSubject: b"),
    ("-------", "One: a\nTwo: b\nThree: c"),
    ("XXxXXXx", "One: a\nTwo: b\nThree: a@b.example"),
    ("XXxxXXx", "On Sun, Nov 22, 2026 at 4:50 AM some words that make the line long enough\nMentat wrote:"),
    ("XXppXX-", "On Sun, Nov 22, 2026 at 4:50 AM\nsome words that make\nMentat wrote:"),
    (
        "PPppPPp",
        "a long line before it that goes on and on and on and on and on until\nOn Sun, Nov 22, 2026 Mentat wrote:",
    ),
    ("-------", "press to all: on Sun, Nov 22, 2026 Mentat wrote:"),
    ("XXxxxx-", "On Sun, Nov 22, 2026, Mentat <mentat+ypowzixiqjin3ijg@arrakis.example>"),
    ("XXxxxx-", "see <mailto:mentat@arrakis.example> 2026"),
    ("--xxxx-", "see mentat@arrakis.example 2026"),
    ("XXxxXX-", "a" * 70 + " wrote:"),
    ("--xx---", "a" * 80 + " wrote:"),
    ("XXxxXX-", "Mentat (the moderator) wrote:"),
    ("XXxxXX-", "Mentat wrote: *_ "),
    ("XXxxXX-", "*On Sun, Nov 22, 2026 Mentat wrote:*"),
    ("XXxxxx-", "- On Sun, Nov 22, 2026 Mentat wrote"),
    ("PPppPP-", "Hi,\nMentat <mentat@arrakis.example> wrote:"),
    ("PPppPP-", "no move\nMentat <mentat@arrakis.example> wrote:"),
    ("XXxXXXx", "Wanted from you by Sunday"),
    ("-------", "You are the EMPEROR in sietch-12. Turn 3"),
    ("XXxXXXx", "well, you are HARKONNEN in sietch-12. Set-up"),
    ("-------", "You are Emperor in sietch-12. Turn 3"),
    ("XXxXXXx", "[form 7qk2m9xa"),
    ("-------", "[end of\nform 7qk2m9xa]"),
    ("XXxXXXx", "I read these lines from your mail"),
    ("XXxXXXx", "Since your last mail"),
    ("XXxXXXx", "Reply above\nthis line, or edit"),
    ("XXxXXXx", "above this line"),
    ("XXxX--x", "Dear Baron,"),
    ("XXxX--x", "Baron,"),
    ("-------", "Dear Mentat,"),
    ("XXxX--x", "Dear Baron, bid"),
]
"""One sign for each frame, in order: "-" the text is kept, "x" only the text is removed, "X" own words below it are
removed, too. "p" and "P": the same if only some lines of the text are removed."""


def kept(body: str) -> list[str]:
    return [line.strip() for line in trim_quotes(plain_lines(f"{body}\n"), ADDRESS, ("baron",)).kept if line.strip()]


def becomes(text: str, frame: str) -> str:
    left = kept(frame.format(text))
    lines = [line.text.strip() for line in plain_lines(text) if line.depth == 0]
    mine = [line in left for line in lines]
    mark = "-" if all(mine) else "p" if any(mine) else "x"
    others = [line for line in frame.format("").split("\n") if line and not line.startswith(">")]
    return mark if set(others) <= set(left) else mark.upper()


@pytest.mark.parametrize(("taken", "text"), TAKEN, ids=[text[:30] for _, text in TAKEN])
def test_what_a_mail_program_wrote_is_taken_off_where_it_stands(taken: str, text: str) -> None:
    assert "".join(becomes(text, frame) for frame in FRAMES.values()) == taken
