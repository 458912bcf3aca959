"""Whether the record that was kept while a game was played holds, and says what the log in the database leads to."""

from __future__ import annotations

from bot.record.comparing import counting, difference
from bot.record.lines import End, Head, salt
from bot.record.reading import NotARecord, Read, read_running
from bot.store.record import KeptChain, Record
from rules.engine.play import Play


def compare_chain(kept: Record, play: Play) -> str:
    """The first line that is missing, was changed or is not what the log leads to, and what should be there; "" if the
    record holds. ``play`` is the game, played again from its beginning."""
    chain = kept.chain
    assert chain is not None, "there is a record to compare"
    if chain.trouble:
        return _told(chain.trouble)
    try:
        read = read_running(b"".join(line + b"\n" for line in chain.lines))
    except NotARecord as error:
        return _told(str(error))
    return _told(
        _whole(chain, read)
        or _head(kept, read.head)
        or _salts(read, kept.seed)
        or str(difference(counting(read.lines), play, chain.words_key) or "")
        or _end(read, play)
    )


def _told(trouble: str) -> str:
    return f"The record that was kept does not hold. {trouble[:1].upper() + trouble[1:]}" if trouble else ""


def _whole(chain: KeptChain, read: Read) -> str:
    have = len(read.lines)
    if have < chain.count:
        return f"Line {have + 1} is missing: there should be {chain.count} lines and there are {have}."
    if have > chain.count:
        return f"Line {chain.count + 1} should not be there: there should be {chain.count} lines and there are {have}."
    if read.chain_head != chain.head:
        return f"Line {have}, the last, should have the SHA-256 {chain.head} and has {read.chain_head}: it was changed."
    return ""


def _head(kept: Record, head: Head) -> str:
    begun = (kept.id, kept.ruleset, dict(kept.options), dict(kept.dots), kept.commitment)
    said = (head.game, head.ruleset, dict(head.options), dict(head.seats), head.commitment)
    return "" if said == begun else f"Line 1 says that the game was begun with {said}; it was begun with {begun}."


def _salts(read: Read, seed: str) -> str:
    for number, line in enumerate(read.lines):
        if line.salt != (expected := salt(seed, number)):
            return f"Line {number + 1} should have the salt {expected} and has {line.salt}."
    return ""


def _end(read: Read, play: Play) -> str:
    last = read.lines[-1]
    if play.over and not isinstance(last, End):
        return f"Line {len(read.lines) + 1} is missing: the game is over, and the end should be there."
    return ""
