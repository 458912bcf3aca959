"""A mail from a game master about several games: which game each line is about, and what to ask if no game is named.

A line is about the game that it names; if it names none, it is about the game of the line above, or else about the game
of the mail. If nothing says which game is meant, the answer says for each game what the line would do there, and the
writer chooses. A question is answered for all games.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.language.command_lines import Command, CommandContext, read_command
from bot.language.orders import Unread
from bot.moderator import desk_lines, desk_names, desk_words
from bot.moderator.desk_lines import OF_GAME
from bot.wording import say

MOST_OFFERED = 3
_AND = re.compile(r"\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but)\s+", re.IGNORECASE)
_EVERY_GAME = re.compile(r"\b(?:both|all|every)(?: of)?(?: the| my| our)? games?\b", re.IGNORECASE)
_OF_PERSONS = ("ban", "unban", "warn", "same", "apart")
"""Commands about a person. They have the same effect from any game of that person."""


@dataclass(frozen=True, slots=True)
class GamesOfMail:
    """The games that a mail may be about. `contexts` gives the context in which a line about each game is read, `names`
    are all games that may be named, and `default` is the game of the mail itself ("" for none)."""

    contexts: Mapping[str, CommandContext]
    positions: Mapping[str, desk_names.Position]
    names: Mapping[str, str]
    lines: Sequence[str]
    default: str = ""

    def game_of(self, text: str) -> str:
        named = desk_names.games_in(text, self.names)
        if named:
            return named[0] if len(named) == 1 else ""
        game, within = self.default, ""
        for line in self.lines:
            above = desk_names.games_in(line, self.names)
            game = above[0] if len(above) == 1 else game
            if text.strip() == line.strip():
                return game
            within = within or (game if text.strip() in line else "")
        return within or game

    def under_names(self) -> list[str]:
        """Return the lines of the mail. If a line consists only of the name of a game, that name is put in front of
        each line below it."""
        told: list[str] = []
        head = ""
        for line in self.lines:
            found = OF_GAME.fullmatch(line)
            of = self.names.get(found["game"].lower(), "") if found else ""
            head = of if of and found and not found["line"] else "" if of else head
            goes_under = head and line.strip() and not of and not desk_names.games_in(line, self.names)
            told.append(f"{head}: {line.strip()}" if goes_under else line)
        return told

    def exact(self, text: str) -> Command | None:
        found = OF_GAME.fullmatch(text)
        if found and found["game"].lower() in self.names:
            game = self.names[found["game"].lower()]
            if not found["line"]:
                return Command(f"{game}:", None, shows=True)
            own = self.contexts[game].exact(found["line"]) if game in self.contexts else None
            return _named(game, own) if own else None
        game = self.game_of(text) if self.names.keys().isdisjoint(text.lower().split()) else ""
        own = self.contexts[game].exact(text) if game in self.contexts else None
        own = own or next((each for each in self._alike(text) if each.what is None), None)
        return _named(game, own) if own and (game or own.what is None) else None

    def _alike(self, text: str) -> Sequence[Command]:
        return [made for context in self.contexts.values() if (made := context.exact(text))]

    def read(self, text: str) -> Command | Unread:
        if exact := self.exact(text):
            return exact
        if several := self.several(text):
            return several
        game = self.game_of(text)
        found = OF_GAME.fullmatch(text)
        own = found["line"] if found and found["game"].lower() in self.names else text
        if game in self.contexts:
            return _of(game, read_command(own, self.contexts[game]))
        return self._of_any(own)

    def unread(self, text: str) -> Unread:
        game = self.game_of(text)
        read = {of: each.unread(text) for of, each in self.contexts.items() if of == game or not game}
        first = next(iter(read.values()))
        return first if game else _with_games(first, list(read))

    def several(self, text: str) -> Unread | None:
        named = desk_names.games_in(text, self.names)
        if not named and _EVERY_GAME.search(text):
            text, named = _EVERY_GAME.sub("the game", text), list(self.contexts)
        if len(named) < 2:
            return None
        clauses = [clause for clause in _AND.split(text) if desk_names.games_in(clause, self.names)]
        own = [(desk_names.games_in(clause, self.names), clause) for clause in clauses]
        each_own = all(len(of) == 1 and desk_names.without_games(clause, of) != "the game" for of, clause in own)
        bare = desk_names.without_games(text, named)
        pairs = [(of[0], clause) for of, clause in own] if each_own else []
        lines = self._lines(pairs, sure=True) or self._lines([(game, bare) for game in named])
        if not lines or desk_names.games_in(bare, self.names):
            return Unread(say("desk-mail.other-game", games=sorted(named)))
        return Unread(say("desk-mail.in-each", lines=[f"“{line}”" for line in lines]), lines, together=True)

    def _lines(self, pairs: Sequence[tuple[str, str]], *, sure: bool = False) -> tuple[str, ...]:
        read = [
            _of(game, read_command(desk_names.without_games(text, [game]), self.contexts[game]))
            for game, text in pairs
            if game in self.contexts
        ]
        read = [each for each in read if not (sure and isinstance(each, Unread) and each.guess)]
        lines = [_lines_of(each)[0] for each in read if _lines_of(each)]
        return tuple(lines) if len(lines) == len(pairs) else ()

    def _of_any(self, text: str) -> Command | Unread:
        read = {game: read_command(text, context) for game, context in self.contexts.items()}
        if not read:
            return Unread(say("desk-mail.unread", suggestion=""), chatter=True)
        first = next(iter(read.values()))
        shown = [each for each in read.values() if isinstance(each, Command) and each.shows]
        if len(shown) == len(read) and len({each.line for each in shown}) == 1:
            return shown[0]
        lines = {game: _lines_of(each) for game, each in read.items() if _lines_of(each)}
        if not lines:
            return _with_games(first, list(read)) if isinstance(first, Unread) else first
        firsts = {own[0] for own in lines.values()}
        if len(lines) == len(read) and len(firsts) == 1 and desk_lines.question_in(line := next(iter(firsts))):
            return Unread(say("unread.plain", lines=[f"“{line}”"]), (line,))
        able = {game: own for game, own in lines.items() if not desk_words.is_so(own[0], self.positions[game])} or lines
        game, own = next(iter(able.items()))
        if own[0].split()[0] in _OF_PERSONS and self._is_one_person(own[0], able):
            return _of(game, read[game])
        offered = [f"{game}: {line}" for line in own] if len(able) == 1 else [f"{of}: {able[of][0]}" for of in able]
        told = say("desk-mail.in-which", lines=[f"“{line}”" for line in offered[:MOST_OFFERED]], games=sorted(able))
        return Unread(told, tuple(offered[:MOST_OFFERED]))

    def _is_one_person(self, line: str, games: Mapping[str, Sequence[str]]) -> bool:
        seat = line.split()[1].rstrip(":") if len(line.split()) > 1 else ""
        tables = [self.positions[game].table for game in games]
        held = {table.seats[seat].address for table in tables if table and seat in table.seats}
        return len({own[0] for own in games.values()}) == 1 and ("@" in line or len(held) == 1)


def _with_games(read: Unread, games: Sequence[str]) -> Unread:
    return replace(read, reason=f"{read.reason} {say('desk-mail.which-game', games=games)}") if read.guess else read


def _lines_of(read: Command | Unread) -> Sequence[str]:
    return (read.line,) if isinstance(read, Command) else read.suggestions


def _of(game: str, read: Command | Unread) -> Command | Unread:
    if isinstance(read, Command):
        return _named(game, read)
    reason = read.reason
    for line in read.suggestions:
        reason = reason.replace(f"“{line}”", f"“{game}: {line}”")
    whole, lacking = (tuple(f"{game}: {line}" for line in lines) for lines in (read.suggestions, read.open))
    return replace(read, reason=reason, suggestions=whole, open=lacking)


def _named(game: str, read: Command) -> Command:
    free = not game or (read.what is None and not desk_lines.question_in(read.line))
    return read if free else replace(read, line=f"{game}: {read.line}", subject=f"{game} {read.subject}")


def context_of_games(mail: GamesOfMail, seen: str) -> CommandContext:
    one = next(iter(mail.contexts.values()))
    return replace(
        one, exact=mail.exact, wrong=mail.several, unread=mail.unread, routed=mail.read, seen=seen, aside=None
    )
