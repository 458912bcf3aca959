"""The powers of the game master, each declared once; the desk by mail, the act log and all checks follow from here.

To add a power, write its act, which takes a ``DeskRequest`` and opens with ``using`` (``bot.desk.powers``), and declare
it in ``data/desk-powers.toml``; what is said of it by mail stands in ``templates/letters/desk_mail.toml``, plain words
for it in ``data/command-words.toml`` and ``data/desk-matters.toml``. An auditor only reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.store.acts import CLERKS, DIRECTORS, JUDGES
from rules.components.facts import load_toml

EVERYBODY = (*JUDGES, "clerk")
OWNERS = (*DIRECTORS, "playing master")


@dataclass(frozen=True, slots=True)
class Form:
    """How a line to the desk is written; words in capitals stand for its parts (``bot.moderator.desk_lines.PARTS``).

    - ``act``: what the line does, if that is not the act of its power; its parts are the parameters.
    - ``answer``: the function of ``bot.moderator.desk_lines`` that does it and says what was done, where that takes
      more than the act and one sentence.
    - ``given``: further parameters, by name.
    - ``says``: the sentence that tells what was done (``[desk-done]``), if it does not have the name of the power.
    - ``looks``: the line only looks, and changes nothing.
    """

    shown: str
    act: str = ""
    answer: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    says: str = ""
    looks: bool = False


@dataclass(frozen=True, slots=True)
class Power:
    """What a game master can do to a game.

    - ``rights``: the rights that allow it.
    - ``act``: the function that carries it out, as "module:function".
    - ``forms``: how it is written by mail; none, if it is used at the machine alone.
    - ``dangerous``: by mail it waits for its one-time code, because it cannot be undone, shows what is sealed, or gives
      a right or the secrets of a seat to an address that stands in the mail.
    - ``when_over``: it works on a game that is over, and on one whose rules have changed under it.
    - ``when_held``: it works on a game whose rules have changed under it, until a rollback frees it.
    - ``when_on_hold``: it works on a game on hold, which it does not let continue.
    - ``spoken``: its words are for people to read, on as many lines as it needs.
    - ``keeps_game``: it is done only to a game in play, which is not deleted afterwards.
    - ``also``: further words, with blanks between them, that people use for it.
    - ``example``: a line that uses it, for the help.
    - ``grave``: in plain words it is proposed first, because it hurts or cannot be taken back.
    """

    name: str
    rights: tuple[str, ...]
    act: str
    forms: tuple[Form, ...] = ()
    dangerous: bool = False
    when_over: bool = False
    when_held: bool = False
    when_on_hold: bool = True
    spoken: bool = False
    keeps_game: bool = False
    also: str = ""
    example: str = ""
    grave: bool = False


_RIGHTS = {"everybody": EVERYBODY, "judges": JUDGES, "clerks": CLERKS, "directors": DIRECTORS, "owners": OWNERS}


def _declared(name: str, *, rights: str, forms: Sequence[str | dict[str, Any]] = (), **facts: Any) -> Power:
    shown = tuple(Form(each) if isinstance(each, str) else Form(**each) for each in forms)
    return Power(name, _RIGHTS[rights], forms=shown, **facts)


POWERS: dict[str, Power] = {name: _declared(name, **facts) for name, facts in load_toml("desk-powers.toml").items()}
