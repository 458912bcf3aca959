"""Messages between entrants and organisers, and the commands that organisers send by mail.

An entrant's words that are neither a command nor small talk go to the directors and clerks who do not play with that
entrant. They see the entrant's name but not the address. Their answer goes back the same way. The subject gives each
question a number, so that an answer can be matched even if a mail program changes the rest of the mail. An organiser
can also answer with a line: `answer 17: yes, you can`.

Organisers can also send the machine's commands by mail, with the reason after a colon: `void 1.3 replay: no letters
came`. A command that cannot be undone is first tried out, and carried out only when the organiser says yes to a letter
that asks for confirmation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from pkgutil import resolve_name
from typing import Any

from bot.competition.outcomes import WAYS_TO_WIN
from bot.desk.powers import DeskRequest, Use
from bot.games.open_games import Session
from bot.games.seat_mail import make_harmless
from bot.language.command_lines import (
    AND,
    SENTENCE,
    Blank,
    Command,
    CommandContext,
    days_from,
    spans,
    without_courtesy,
)
from bot.language.command_lines import read_command as read_plain
from bot.language.matters import (
    SURE,
    as_phrase,
    asks_for_nothing,
    clear_matter,
    fit,
    forbids,
    lacks,
    nearest,
    opposites,
    right_described,
    spelt_right,
    times_likelier,
)
from bot.language.moves import agrees, declines
from bot.language.names import FACTION_NAMES
from bot.language.orders import Unread
from bot.language.proposals import NOTHING
from bot.language.vocabulary import vocabulary
from bot.mail.identity import confirmation_code
from bot.render.blocks import Block, Buttons, Paragraph, Row, Rows, Verdict
from bot.store import acts, people, tournament_rounds, tournaments
from bot.store.acts import CLERKS, GrantedRight
from bot.store.database import Connection
from bot.store.memory import LastMail, memory_of, remember
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.tournament.desk import By, Caller, Refused, acting, find_table, log_act, require_power
from bot.tournament.letters import Letter, buttons, own_tables, tell, tell_one_organiser
from bot.tournament.preparation import SettingsChange
from bot.wording import say
from rules.components import FACTIONS, as_faction

MOST_WORDS = 4_000  # the most characters of a question or an answer
MOST_OF_PROTEST = 200  # how many of these characters a proposed line contains
FEWEST_WORDS = 4  # shorter lines are greetings, thanks or names
_ANSWER = re.compile(r"\s*answer\s+(?P<number>[0-9]{1,9})\s*[:,.]?\s*(?P<text>.*)", re.IGNORECASE | re.DOTALL)
_SUBJECT = re.compile(r"\bquestion (?P<number>[0-9]{1,9})\b", re.IGNORECASE)


def for_organisers(lines: Sequence[str]) -> str:
    """Return the text of these lines if people should read it, or "" if there are only greetings, thanks and names."""
    said = [line.strip() for line in lines if line.strip()]
    asked = [without_courtesy(line)[0] for line in said]
    worth = any("?" in line or len(line.split()) >= FEWEST_WORDS for line in asked)
    return "\n".join(said)[:MOST_WORDS] if worth else ""


def pass_on(session: Session, tournament: Tournament, entrant: Entrant, words: str, *, proved: bool = True) -> None:
    """Send an entrant's words to the directors and clerks. ``proved`` is false if the mail had no entrant's token."""
    words = _harmless(session, words)
    state: tournaments.PaperState = "answered" if _THANKS.search(words) and "?" not in words else "open"
    number = tournaments.add_paper(
        session.conn, Paper(tournament.id, entrant.number, "words", words, session.now, state=state)
    )
    subject = say("tournament.words.subject", number=number, who=entrant.public_name)
    told = [say("tournament.words.asked", who=entrant.public_name, title=tournament.title)]
    told += [] if proved else [say("tournament.words.unproved")]
    for who in _readers(session.conn, tournament, entrant):
        blocks: list[Block] = [Rows((Row(entrant.handle, tuple(words.splitlines())),))]
        ready = buttons(session.settings, tournament.id, who.token if who else "", [f"answer {number}: "])
        blocks += [Buttons(ready), Paragraph(say("tournament.words.how", number=number), "small")]
        tell_one_organiser(session, tournament, who, Letter(subject, told, f"words.{number}", blocks=blocks))


_CONTESTS = re.compile(
    r"\b(?:appeal|complain(?:t|ts)?|contest|dispute|object(?:ion)?|protest)\b"
    r"|\bresult\b.{0,40}(?:\b(?:wrong|mistake|incorrect)\b|(?:\bnot|n't)(?: be)? (?:right|correct)\b)"
    r"|\b(?:wrong|incorrect) result\b",
    re.IGNORECASE,
)


def way_to_protest(session: Session, tournament: Tournament, entrant: Entrant, words: str) -> list[Block]:
    """If the words contest one of the entrant's results that may still change, say how to file a protest."""
    results = tournament_rounds.newest_results(session.conn, tournament.id)
    own = {
        (held.round, held.table)
        for held in tournament_rounds.tenures_of(session.conn, tournament.id)
        if held.entrant == entrant.number
    }
    tables = [f"{at[0]}.{at[1]}" for at in sorted(own) if at in results and results[at].state == "provisional"]
    if not tables or not _CONTESTS.search(words):
        return []
    said = " ".join(words.split())[:MOST_OF_PROTEST]
    lines = tuple(f"protest {table}: {said}" for table in tables)
    ready = buttons(session.settings, tournament.id, entrant.token, lines)
    hint = say("tournament-answer.protest", tables=tables)
    return [Verdict(said, say("verdict.asked"), "plain", (hint,), lines, buttons=ready)]


_THANKS = re.compile(r"^\W*(?:many |so )?thank", re.IGNORECASE | re.MULTILINE)


def _harmless(session: Session, words: str) -> str:
    return "\n".join(make_harmless(line, session.settings.mentat.address) for line in words.splitlines())[:MOST_WORDS]


def _readers(conn: Connection, tournament: Tournament, writer: Entrant) -> list[GrantedRight | None]:
    """Return the organisers who may read an entrant's words: those who have never played with the entrant, and are not
    the entrant. If there are none, return None alone, which stands for the game master."""
    theirs = {
        (held.round, held.table)
        for held in tournament_rounds.tenures_of(conn, tournament.id)
        if held.entrant == writer.number
    }
    found: list[GrantedRight | None] = [
        who
        for who in acts.rights_of(conn, tournament_id=tournament.id)
        if who.right in CLERKS
        and who.right != "deputy"
        and writer.address not in people.known_as(conn, who.address)
        and not theirs & own_tables(conn, tournament, who)
    ]
    return found or [None]


def read_answer(subject: str, lines: Sequence[str]) -> tuple[int, str] | None:
    text = "\n".join(line.strip() for line in lines).strip()
    if line := _ANSWER.fullmatch(text):
        return int(line["number"]), line["text"].strip()
    named = _SUBJECT.search(subject)
    return (int(named["number"]), text) if named and text else None


def answer_question(session: Session, tournament: Tournament, by: GrantedRight, number: int, answer: str) -> str:
    every = tournaments.papers_of(session.conn, tournament.id, "words", state=None)
    asked = next((paper for paper in every if paper.id == number), None)
    if asked is None or by.right not in CLERKS:
        return say("tournament.words.no-question", number=number)
    if not answer:
        return say("tournament.words.empty", number=number)
    everybody = tournaments.entrants_of(session.conn, tournament.id)
    entrant = next(each for each in everybody if each.number == asked.entrant)
    tournaments.set_paper_state(session.conn, asked.id, "answered")
    _write_to(session, tournament, entrant, answer, asked)
    log_act(session, tournament.id, "answer", f"a question of {entrant.handle}", By(by.address, by.right))
    return say("tournament.words.answered", who=entrant.public_name)


def _write_to(session: Session, tournament: Tournament, entrant: Entrant, words: str, asked: Paper | None) -> None:
    blocks: list[Block] = [Paragraph(line) for line in _harmless(session, words).splitlines() if line]
    cause = f"words.{asked.id}" if asked else f"tell.{entrant.handle}"
    if asked:
        asked_before = asked.words.replace("\n", " ")[:200]
        blocks.append(Paragraph(say("tournament.words.you-asked", words=asked_before), "small"))
    subject = say("tournament.words.answer-subject", title=tournament.title)
    told = [say("tournament.words.answer", title=tournament.title)]
    tell(session, entrant, Letter(subject, told, f"{cause}.{session.now:%Y%m%d%H%M%S}", blocks=blocks))


def write_to_entrant(caller: Caller, tournament_id: str, handle: str) -> None:
    """Send an organiser's words to one entrant. They answer that entrant's newest open question, if there is one."""
    with acting(caller, tournament_id) as (session, tournament):
        require_power(session.conn, tournament_id, caller.by, "tell")
        entrant = tournaments.find_entrant(session.conn, tournament_id, handle)
        if entrant is None:
            raise Refused(f"{tournament_id} has no entrant {handle}.")
        papers = tournaments.papers_of(session.conn, tournament_id, "words")
        asked = next((paper for paper in reversed(papers) if paper.entrant == entrant.number), None)
        if asked:
            tournaments.set_paper_state(session.conn, asked.id, "answered")
        _write_to(session, tournament, entrant, caller.by.why, asked)
        log_act(session, tournament_id, "answer", f"words to {entrant.handle}", caller.by)


def act_at_table(caller: Caller, tournament_id: str, power: str, said: str, *parts: Any) -> None:
    with acting(caller, tournament_id) as (session, _):
        game = find_table(session.conn, tournament_id, said).game_id
        if not game:
            raise Refused(f"The game of table {said} has not begun.")
        use = Use(caller.by.address, caller.by.why, dry_run=caller.dry_run)
        values = [as_faction(part) if isinstance(part, str) else part for part in parts]
        resolve_name(power)(DeskRequest(caller.games, game, caller.now, use), *values)


# --- commands --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """One command of organisers. ``shown`` is how it is written; its words in capitals are parameters, which are passed
    to ``act`` after the values in ``before``. If ``asks``, the command waits for a yes. If ``reasoned``, it needs a
    reason, which other people will read."""

    shown: str
    act: str
    asks: bool = False
    reasoned: bool = False
    before: Sequence[object] = ()
    given: dict[str, Any] = field(default_factory=dict)


_HERE = "bot.tournament"
FORMS = (
    Form("open", f"{_HERE}.preparation:open_entries"),
    Form("open until DATE", f"{_HERE}.preparation:open_until", asks=True),
    Form("amend SETTING VALUE", f"{_HERE}.preparation:amend_setting", asks=True, reasoned=True),
    Form("tell", f"{_HERE}.preparation:write_to_all", reasoned=True),
    Form("tell ENTRANT", f"{_HERE}.organisers:write_to_entrant", reasoned=True),
    Form("freeze", f"{_HERE}.drawing:freeze"),
    Form("draw", f"{_HERE}.drawing:draw"),
    Form("start", f"{_HERE}.game_starts:start_games", asks=True),
    Form("pause games", f"{_HERE}.rounds:pause_tables", before=(0,)),
    Form("resume games", f"{_HERE}.rounds:resume_tables", before=(0,)),
    *(
        Form(shown, f"{_HERE}.organisers:act_at_table", before=(f"bot.desk.{power}",))
        for shown, power in (
            ("pause TABLE", "clocks:pause"),
            ("resume TABLE", "clocks:resume"),
            ("extend TABLE HOURS", "clocks:extend"),
            ("extend TABLE HOURS for SEAT", "clocks:extend"),
            ("remind TABLE", "seats:remind_all"),
            ("remind TABLE SEAT", "seats:remind_seat"),
        )
    ),
    Form("extend round NUMBER HOURS", f"{_HERE}.rounds:extend_round"),
    Form("close round NUMBER", f"{_HERE}.rounds:close_round", asks=True),
    Form("adjudicate TABLE", f"{_HERE}.adjudication:adjudicate_by", asks=True, reasoned=True),
    Form("adjudicate TABLE RULE", f"{_HERE}.adjudication:adjudicate_by", asks=True, reasoned=True),
    Form("void TABLE", f"{_HERE}.results:void_table", asks=True, reasoned=True),
    Form("void TABLE replay", f"{_HERE}.results:void_table", asks=True, reasoned=True, given={"replay": True}),
    Form("result TABLE SEATS", f"{_HERE}.results:correct_winners", asks=True, reasoned=True),
    Form("result TABLE SEATS by KIND", f"{_HERE}.results:correct_winners", asks=True, reasoned=True),
    Form("last turn TABLE TURN", f"{_HERE}.rounds:announce_last_turn", asks=True, before=(0,)),
    Form("dismiss NUMBER", f"{_HERE}.results:dismiss_protest", reasoned=True),
    Form("substitute TABLE SEAT", f"{_HERE}.substitutes:substitute_by", asks=True),
    Form("substitute TABLE SEAT ENTRANT", f"{_HERE}.substitutes:substitute_by", asks=True),
    Form("withdraw ENTRANT", f"{_HERE}.entries:withdraw_by", asks=True),
    Form("withdraw ENTRANT keep", f"{_HERE}.entries:withdraw_by", asks=True, given={"games": "keep"}),
    Form("withdraw ENTRANT leave", f"{_HERE}.entries:withdraw_by", asks=True, given={"games": "leave"}),
    Form("apart ENTRANT OTHER", f"{_HERE}.entries:keep_apart"),
    Form("together ENTRANT OTHER", f"{_HERE}.entries:keep_apart", given={"remove": True}),
    Form("grant RIGHT ADDRESS", f"{_HERE}.desk:grant_by_mail", asks=True),
    Form("cancel", f"{_HERE}.preparation:cancel_tournament", asks=True, reasoned=True),
)
_PARTS: dict[str, tuple[str, type]] = {
    "TABLE": (r"[0-9]{1,4}[./][0-9]{1,5}", str),
    "NUMBER": (r"[0-9]{1,9}", int),
    "TURN": (r"[0-9]{1,2}", int),
    "DATE": (r"[0-9]{4}-[0-9]{2}-[0-9]{2}", str),
    "SETTING": (r"[a-z_]+(?:\.[a-z_]+)*", str.lower),  # type: ignore[dict-item]
    "VALUE": (r"[^:\n]+?", str),
    "HOURS": (r"[0-9]{1,5}(?:\.[0-9]+)?", float),
    "SEAT": (r"[a-z-]+", str.lower),  # type: ignore[dict-item]
    "SEATS": (r"[a-z-]+(?:(?:\s*,\s*|\s+and\s+)[a-z-]+)*", str.lower),  # type: ignore[dict-item]
    "KIND": ("|".join(WAYS_TO_WIN), str.lower),  # type: ignore[dict-item]
    "RULE": (r"stopped|agreed", str),
    "ENTRANT": (r"E[0-9]+", str.upper),  # type: ignore[dict-item]
    "OTHER": (r"E[0-9]+", str.upper),  # type: ignore[dict-item]
    "RIGHT": (r"director|arbiter|clerk|deputy", str.lower),  # type: ignore[dict-item]
    "ADDRESS": (r"[^\s@]+@[^\s@:]+", str.lower),  # type: ignore[dict-item]
}
CODE_HOLDS = timedelta(days=1)


@cache
def _pattern(shown: str) -> re.Pattern[str]:
    words = (f"(?P<{word}>{_PARTS[word][0]})" if word in _PARTS else re.escape(word) for word in shown.split())
    return re.compile(r"\s+".join(words) + r"\s*[.!]?\s*(?::\s*(?P<why>.*))?", re.IGNORECASE | re.DOTALL)


def read_command(line: str) -> tuple[Form, list[object], str] | None:
    """Return the form of an organiser's line, its parameters and its reason. Return None if the line is not a command.

    >>> read_command("void 1.3 replay: no letters came")[1:]
    (['1.3'], 'no letters came')
    """
    for form in FORMS:
        if found := _pattern(form.shown).fullmatch(line.strip()):
            parts = [_PARTS[word][1](found[word]) for word in form.shown.split() if word in _PARTS]
            return form, parts, (found["why"] or "").strip()
    return None


def take_command(
    session: Session, tournament: Tournament, who: GrantedRight, lines: Sequence[str], subject: str = ""
) -> str:
    """Carry out an organiser's command, or ask them to confirm it. Return the answer to send, or "" if the mail holds
    no command. If the command names no table, the table in the ``subject`` is meant."""
    said = [line.strip() for line in lines if line.strip()]
    line = said[0] if said else ""
    named = re.search(r"\btable (?P<table>[0-9]+\.[0-9]+)", subject, re.IGNORECASE)
    if named and read_command(line) is None:
        line = re.sub(r"^(?:adjudicate|void|substitute)\b", rf"\g<0> {named['table']}", line, flags=re.IGNORECASE)
    read, plain = read_command(line), ""
    if line in DRAWS or lacks(line):
        return "" if line in DRAWS else say("desk-mail.missing", line=line, parts=lacks(line))
    context = _context(session, tournament)
    if read is None:
        plain = next(filter(None, (_plain(each, context) for each in said)), "")
        plain = plain if plain.startswith("tell ") or not _is_for_choice(said, context) else ""
        plain = "" if plain.startswith("tell:") and "TABLE" in _named(" ".join(said), context) else plain
        line, read = plain, read_command(plain)
    if read is None:
        return ""
    form = read[0]
    others = [each for each in said[1:] if without_courtesy(each)[0].strip() and len(each.split()) >= FEWEST_WORDS]
    if form.reasoned and not read[2]:
        return say("tournament-command.why", line=line.rstrip(": "))
    if not (form.asks or others or plain):
        return _carry_out(session, tournament, who, line)
    told, changes = _carried_out(session, tournament, who, line, only_try=True)
    if told:
        return told
    code = confirmation_code(session.settings.key, "event", tournament.id, who.address, line, f"{session.now}")
    words = f"{code}\n{who.address}\n{tournaments.find_tournament(session.conn, tournament.id).revision}\n{line}"
    until = session.now + CODE_HOLDS
    tournaments.add_paper(session.conn, Paper(tournament.id, 0, "command", words, session.now, until=until))
    about = say("tournament-command.subject", title=tournament.title, line=line[:60])
    if changes:
        changes = [say("tournament-command.changes"), *changes]
    handle = next((part for part in read[1] if isinstance(part, str) and re.fullmatch(r"E[0-9]+", part)), "")
    if entrant := tournaments.find_entrant(session.conn, tournament.id, handle) if handle else None:
        changes = [say("tournament-command.concerns", who=entrant.handle, name=entrant.name, address=entrant.address)]
    told_of = [say("tournament-command.asked", line=line), *changes, say("tournament-command.how")]
    tell_one_organiser(session, tournament, replace(who, token=code), Letter(about, told_of, code, ready=["confirm"]))
    return say("tournament-command.waits", line=line)


def _plain(words: str, context: CommandContext) -> str:
    """Return the command that an organiser's plain words mean, or "" if they mean none. It is not carried out until the
    organiser confirms it."""
    read = read_plain(words, context)
    lines = (read.line,) if isinstance(read, Command) else read.suggestions
    return lines[0] if len(lines) == 1 else ""


def _is_for_choice(lines: Sequence[str], context: CommandContext) -> bool:
    """Return True if a mail asks for nothing, or for several things among which its writer must choose."""
    text = " ".join(lines)
    return asks_for_nothing(_as_phrase(text, context), of_events=True) or len(_clear_lines(text, context)) > 1


def _clear_lines(text: str, context: CommandContext) -> list[str]:
    found: dict[str, str] = {}
    for sentence in SENTENCE.split(text):
        clauses = [_clear_line(clause, text, context) for clause in AND.split(sentence)]
        for line in clauses if len(clauses) > 1 and all(clauses) else [_clear_line(sentence, text, context)]:
            if line:
                found.setdefault(line.split()[0], line)
    return list(found.values())


SURE_OF_PART = 0.4


def _clear_line(part: str, text: str, context: CommandContext) -> str:
    phrase = _as_phrase(part, context)
    matter = clear_matter(phrase, SURE if part == text else SURE_OF_PART, of_events=True)
    values = _named(text, context)
    wanted = max(matter.lines, key=lambda line: fit(line, values, text)) if matter else ""
    line = _plain(part, context) or ("" if matter and forbids(phrase, matter) else wanted)
    named = _named(part, context)
    return _filled(line, {name: value for name, value in named.items() if name not in ("NUMBER", "DATE", "TURN")})


MOST_OFFERED = 4
PART_NEAR = 0.75
SHORTEST_NAME = 4
DRAWS = ("hold", "go on", "void the draw", "standings", "tables")
"""Lines that are parsed elsewhere (`bot.tournament.incoming_mail`)."""
_NUMBERS = re.compile(r"(?:(?:numbers?|no|lines?|both|and|[1-9])\b[\W_]*)+", re.IGNORECASE)


def chosen(session: Session, who: GrantedRight, lines: Sequence[str]) -> Sequence[str]:
    """If the mail chooses lines that our last answer offered, by their numbers or with a yes, return those lines.
    Otherwise return the mail's own lines."""
    last = memory_of(session.conn, who.token, ()) if who.token else NOTHING
    options = [option[0] for option in last.waiting.options] if last.waiting else []
    said = " ".join(line for line in lines if _NUMBERS.fullmatch(line.strip()))
    numbers = [int(number) for number in re.findall(r"[1-9]", said)]
    if not numbers and "both" in said.lower() and len(options) == len("ab"):
        numbers = [1, 2]
    numbers = numbers or [1] * (len(options) == 1 and any(map(agrees, filter(str.strip, lines))))
    picked = [options[number - 1] for number in dict.fromkeys(numbers) if number <= len(options)]
    others = [line for line in lines if not (_NUMBERS.fullmatch(line.strip()) or agrees(line))]
    return (
        [*picked, *(line for line in others if for_organisers([line]))]
        if picked and len(picked) == len({*numbers})
        else lines
    )


def offer(session: Session, tournament: Tournament, who: GrantedRight, lines: Sequence[str]) -> str:
    """Offer the command lines that come nearest to an organiser's words, with their blanks filled in as far as
    possible. If the words only fill the gaps in the lines that our last answer offered, offer those lines, completed.
    Return "" if the words ask for nothing."""
    context = _context(session, tournament)
    text = spelt_right(" ".join(filter(None, map(str.strip, lines))), frozenset(context.facts["names"].split()))
    values = _named(text, context)
    last = memory_of(session.conn, who.token, ()) if who.token else NOTHING
    open_ones = [option[0] for option in last.waiting.options if lacks(option[0])] if last.waiting else []
    found = [made for line in open_ones if (made := _filled(line, values)) != line]
    phrase = _as_phrase(text, context)
    if not found and asks_for_nothing(phrase, of_events=True):
        return ""
    if not found and len(found := _clear_lines(text, context)) < len("ab"):
        ranked = [near for near in nearest(phrase, of_events=True) if near.matter.lines]
        ranked = [near for near in ranked if not forbids(phrase, near.matter)]
        best_ones = [(near.score, max(near.matter.lines, key=lambda line: fit(line, values, text))) for near in ranked]
        likely = {line: score * times_likelier(line, values, text) for score, line in best_ones}
        best = max(likely.values())
        ranking = sorted((line for line in likely if likely[line] >= PART_NEAR * best), key=lambda line: -likely[line])
        found = [line for at, line in enumerate(ranking) if opposites().get(line, frozenset()).isdisjoint(ranking[:at])]
    found = [_filled(line, values) for line in found]
    rounds = context.facts["rounds"]
    found = [line.replace("{event}", tournament.id) for line in found]
    found = [line.replace("{rounds}", rounds) for line in found if "{" not in line or rounds != "-"][:MOST_OFFERED]
    found = list(dict.fromkeys(found))
    if who.token and found:
        remember(session.conn, LastMail(who.token, None, found, "", (), session.now))
    names = {each.handle: each.name for each in tournaments.entrants_of(session.conn, tournament.id)}
    numbered = [
        say(
            "tournament-command.offered",
            number=number,
            line=line,
            who=[names[who] for who in line.split() if who in names],
        )
        for number, line in enumerate(found, 1)
    ]
    ends = say("tournament-command.choose", lacking=any(map(lacks, found)), several=len(found) > 1)
    return "\n".join([say("desk-mail.choose"), *numbered, ends]) if found else ""


def _as_phrase(text: str, context: CommandContext) -> str:
    return as_phrase(text, rf"(?<![\w@.]){context.blanks['ENTRANT'].pattern}(?![\w@])")


_WON = re.compile(r"\b(?:won|wins?|winners?|victory|victorious|first)\b", re.IGNORECASE)


def _named(text: str, context: CommandContext) -> dict[str, str]:
    """Return the values that a text gives for the blanks of command lines (ENTRANT, DATE, TABLE …). If it names no
    round, the round being played is meant."""
    found: dict[str, str] = {}
    for part in ("ENTRANT", "DATE", "HOURS", "TABLE", "RIGHT", "SEAT", "KIND"):
        blank = context.blanks["SPAN" if part == "HOURS" else part]
        words = re.sub(r"\b\d+\.\d+\b", "", text) if part == "HOURS" else text  # without the tables
        every = re.finditer(rf"(?<![\w@.])(?:{blank.pattern})(?![\w@])", words, re.IGNORECASE)
        values = list(dict.fromkeys(value for each in every if (value := blank.read(each[0]))))
        if part == "KIND":  # "won by default, the stronghold was counted badly"
            values = [each for each in values if re.search(rf"\bby (?:the |a )?{each}", text, re.I)] or values
        found |= {part: values[-1]} if values else {}
        if part == "ENTRANT" and len(values) > 1:
            found |= {"ENTRANT": values[0], "OTHER": values[1]}
        if part == "SEAT" and values:
            won = next((sentence for sentence in SENTENCE.split(text) if _WON.search(sentence)), text)
            won = re.sub(r"\b(?:and |but )?not (?:the )?\w+", "", won)
            winners = [blank.read(each[0]) for each in re.finditer(blank.pattern, won, re.IGNORECASE)]
            found |= {"SEAT": values[0], "SEATS": ", ".join(dict.fromkeys(winners or values))}
    if address := re.search(r"[^\s@(<]+@[^\s@)>,;:]*\w", text):
        found["ADDRESS"] = address[0].lower()
    if "RIGHT" not in found and (right := right_described(text)):
        found["RIGHT"] = right
    if drawn := re.search(r"\d{1,3}(?:[ ,;-]+\d{1,3}){3,}", text):
        found["DRAWN"] = drawn[0]
    number = context.blanks["NUMBER"]
    counted = rf"\b(?:round|question|protest|no\.?|number)\s+(?P<one>{number.pattern})"
    counted += rf"|(?P<many>{number.pattern})\s+(?:rounds|players|people|days)"
    ordinals = {word: f"{place}" for word, place in vocabulary().ordinals.items()}
    said = rf"\bturn (?P<one>{number.pattern})|\b(?P<nth>\w+?)(?:st|nd|rd|th)? turn\b(?! [0-9])"
    for each in re.finditer(said, text, re.IGNORECASE):
        turn = number.read(each["one"]) if each["one"] else ordinals.get(each["nth"].lower(), each["nth"])
        found |= {"TURN": turn} if turn.isdecimal() else {}
    numbers = {number.read(each[0]) for each in re.finditer(rf"(?<![\d.])\b{number.pattern}(?!\.\d)", text, re.I)}
    if (named := re.search(counted, text, re.IGNORECASE)) and (named["one"] or len(numbers) == 1):
        found["NUMBER"] = number.read(named["one"] or named["many"])
    elif not named and (played := context.facts["round"]):
        found["NUMBER"] = played
    return found


def _filled(line: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\b[A-Z]{4,}\b", lambda part: values.get(part[0], part[0]), line)


def _context(session: Session, tournament: Tournament) -> CommandContext:
    entrants = tournaments.entrants_of(session.conn, tournament.id)
    names = [(name.lower(), each.handle) for each in entrants for name in {*each.name.split()[:1], each.name} if name]
    every = Counter(name for name, _ in names)
    handles = {name: handle for name, handle in names if every[name] == 1} | {
        e.handle.lower(): e.handle for e in entrants
    }
    today = session.now.astimezone(session.settings.mentat.timezone).date()
    rounds = tournament_rounds.rounds_of(session.conn, tournament.id)
    played = [f"{each.number}" for each in rounds if each.state != "closed"]
    seats = {text.lower(): faction for faction, spelt in FACTION_NAMES.spelt() for text in (faction, *spelt)}
    seats |= {name.lower(): faction for faction, names in vocabulary().nicknames["faction"].items() for name in names}
    seats = {text: faction for text, faction in seats.items() if len(text) > len("BG") and faction in FACTIONS}
    numbers = {word: f"{number}" for word, number in vocabulary().numbers.items()}
    number = rf"(?:[0-9]{{1,4}}|{'|'.join(numbers)})(?!\w)"

    def exact(text: str) -> Command | None:
        return Command(text, read, f"event {text}".lower()) if (read := read_command(text)) else None

    return CommandContext(
        language="event",
        exact=exact,
        wrong=lambda _: None,
        unread=lambda _: Unread("", chatter=True),
        blanks={
            "NUMBER": Blank(number, lambda said: numbers.get(said.lower(), said)),
            "ENTRANT": Blank(rf"(?:{'|'.join(map(re.escape, handles)) or '(?!)'})", lambda text: handles[text.lower()]),
            "SPAN": spans(),
            "DATE": days_from(today),
            "WORDS": Blank(r"\S.*"),
            "TABLE": Blank(_PARTS["TABLE"][0]),
            "SEAT": Blank(
                rf"(?:{'|'.join(sorted(map(re.escape, seats), key=len)[::-1])})", lambda said: seats[said.lower()]
            ),
            "KIND": Blank(rf"(?:{_PARTS['KIND'][0]})", str.lower),
            "RIGHT": Blank(rf"(?:{_PARTS['RIGHT'][0]})", str.lower),
        },
        facts={
            "rounds": {"heats": "rounds.heats", "swiss": "rounds.swiss"}.get(tournament.settings.format, "-"),
            "round": played[0] if len(played) == 1 else "",
            "names": " ".join(name for name in handles if len(name) >= SHORTEST_NAME),
        },
    )


def _carry_out(session: Session, tournament: Tournament, who: GrantedRight, line: str) -> str:
    told, changes = _carried_out(session, tournament, who, line)
    return " ".join([told, *changes])


def _carried_out(
    session: Session, tournament: Tournament, who: GrantedRight, line: str, *, only_try: bool = False
) -> tuple[str, Sequence[str]]:
    """Carry out a command. Return the answer to its writer, and the settings that changed. With ``only_try``, change
    nothing, and return "" as the answer if the command would be possible."""
    form, parts, why = read_command(line) or (FORMS[0], [], "")
    granted = acts.right_of(session.conn, who.address, tournament_id=tournament.id)
    if granted or tournaments.entrant_of_person(session.conn, tournament.id, who.address):
        by = By(who.address, granted.right if granted else "", why)
    else:
        by = By(why=why)  # the game master of this Mentat, who does not play there
    act = resolve_name(form.act)
    try:
        caller = Caller(session.games, session.now, by, only_try)
        result = act(caller, tournament.id, *form.before, *parts, **form.given)
    except (Refused, ValueError, LookupError) as refused:
        return say("tournament-command.refused", line=line, why=_by_mail(str(refused), tournament.id)), ()
    changes = result.lines if isinstance(result, SettingsChange) else ()
    return "" if only_try else say("tournament-command.done", line=line), changes


def _by_mail(refused: str, event: str) -> str:
    refused = refused.replace("--games ", "").replace("add --force", "type it where Mentat runs, with --force")
    return re.sub(r"`mentat tournament ([^`]+)`", lambda found: f"“{found[1].replace(f' {event}', '')}”", refused)


def pending_command(conn: Connection, code: str) -> tuple[Paper, GrantedRight] | None:
    for event in tournaments.all_tournaments(conn, "draft", "open", "drawn", "running"):
        for paper in tournaments.papers_of(conn, event.id, "command"):
            held, address, _, _ = paper.words.split("\n", 3)
            if held == code:
                return paper, GrantedRight(address, "director", code, paper.at, tournament_id=event.id)
    return None


def answer_pending(session: Session, tournament: Tournament, pending: tuple[Paper, GrantedRight], said: str) -> str:
    """Carry out a command that its organiser has now confirmed, or drop it if they said no. Return the answer to send,
    or "" if the mail says neither."""
    paper, who = pending
    _, _, revision, line = paper.words.split("\n", 3)
    if declines(said):
        tournaments.set_paper_state(session.conn, paper.id, "refused")
        return say("tournament-command.declined", line=line)
    if not (agrees(said) or re.fullmatch(r"\W*(?:i )?confirm(?:ed)?\W*", said, re.IGNORECASE)):
        return ""
    tournaments.set_paper_state(session.conn, paper.id, "answered")
    if paper.until and paper.until <= session.now:
        return say("tournament-command.expired", line=line)
    if int(revision) != tournament.revision:
        told = take_command(session, tournament, who, [line])
        return f"{say('tournament-command.moved-on')} {told}"
    return _carry_out(session, tournament, who, line)
