"""Seeds that a game master types: in a game that is played in earnest nobody may be able to guess them.

All chance of a game follows from its seed, and the first letters publish the SHA-256 of it. Whoever guesses the seed
can try it against that, and then knows every deck. So it has to have at least 128 bits of chance in it. Where letters
do not leave this machine (dry runs, tests, the demo) any seed will do.
"""

from __future__ import annotations

import ipaddress
import math
import string

from bot.config import Settings

ENOUGH_BITS = 128
ENOUGH_CHARACTERS = 8
"""So many different ones at least: what repeats itself is no chance, however long."""

_ALPHABETS = (
    (string.digits, 10), (string.digits + "abcdef", 16), (string.digits + "ABCDEF", 16), (string.ascii_lowercase, 26),
    (string.ascii_letters + string.digits, 62),
)  # fmt: skip
_PRINTABLE = 95
_WORD_BITS = math.log2(7776)  # of a word that five dice have chosen; words that a person chooses have far less


class GuessableSeed(ValueError):
    """Somebody could guess this seed; the message says why that matters and how to make a better one."""


def require_unguessable(seed: str, settings: Settings, option: str = "--seed") -> None:
    """GuessableSeed if letters leave this machine and the seed has fewer than 128 bits. ``option`` is by which it was
    given."""
    bits = bits_of(seed)
    if leaves_this_machine(settings) and (bits < ENOUGH_BITS or len(set(seed)) < ENOUGH_CHARACTERS):
        raise GuessableSeed(
            f"This seed has at most {math.floor(bits)} bits of chance in {len(set(seed))} different characters. A game "
            f"played in earnest needs {ENOUGH_BITS} bits in {ENOUGH_CHARACTERS} at least: the first letters publish "
            "the seed's SHA-256, and whoever finds the seed to it by trying knows every deck and every storm. Leave "
            f"{option} out, and one of 256 bits is drawn; or make one yourself with `openssl rand -hex 32`."
        )


def leaves_this_machine(settings: Settings) -> bool:
    """Whether letters go out to players, and not into a folder or to a server on this machine."""
    if settings.smtp.kind == "directory":
        return False
    host = settings.smtp.host.strip("[]").lower()
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


def bits_of(seed: str) -> float:
    """At most so many bits a seed holds: each character one of the smallest usual alphabet that has them all, and each
    word of several one of a list of words.

    >>> bits_of("00" * 16), bits_of("9f" * 16), round(bits_of("spice")), round(bits_of("the sleeper must awaken"))
    (106.30169903639559, 128.0, 24, 52)
    """
    size = next((size for letters, size in _ALPHABETS if set(seed) <= set(letters)), _PRINTABLE)
    bits = len(seed) * math.log2(size)
    words = len(seed.split())
    return min(bits, words * _WORD_BITS) if words > 1 else bits
