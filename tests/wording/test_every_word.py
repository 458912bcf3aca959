"""Tests that all sentences for people are in ``templates/``, that each of them is used, and that none is missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from jinja2 import nodes

import rules
from bot import templates_dir, wording
from bot.desk.powers import POWERS
from bot.language.vocabulary import vocabulary
from bot.render import news
from bot.wording import environment, sources, written
from rules.orders import QuestionKind

BOT = Path(wording.__file__).parents[1]
RULES = Path(rules.__file__).parent
SAYING = ("say", "written", "find")
USING = ("each", "filled", "choice")

SPEAKING = (
    "desk", "forum", "games", "language", "mail/attributions.py", "mail/html.py", "mail/lines.py", "mail/own_words.py",
    "mail/quotes.py", "mail/signatures.py", "moderator", "render", "table",
)  # fmt: skip
"""The rooms that write to players. Texts for a game master at the machine stay in the code: the command line, settings,
doctor and log."""

EXCEPTIONS = {
    "forum/access.py": "what `mentat forum test` finds, for the game master",
    "forum/pages.py": "what forums print on their pages",
    "desk/powers.py": "why a game master may not do something",
    "desk/rights.py": "the act log",
    "desk/positions.py": "the act log",
    "games/open_games.py": "the act log",
    "games/observers.py": "what became of a mail, for the record",
    "games/proof.py": "what `mentat game verify` finds, for the game master",
    "games/seat_addresses.py": "what became of a mail, for the record",
    "games/identity.py": "what became of a mail, for the record",
    "mail/lines.py": "the marks of a form, by which it is read again",
    "mail/html.py": "names of HTML elements",
    "mail/quotes.py": "the line above which replies are read",
    "moderator/automatic_mail.py": "what became of a mail, for the record",
    "moderator/intake.py": "what became of a mail, for the record",
    "moderator/desk_lines.py": "the language of the desk",
    "moderator/desk_mail.py": "what became of a mail, for the record",
    "moderator/moderator.py": "what became of a mail, for the record; why one cannot be believed",
    "language/forms.py": "the language of orders",
    "language/orders.py": "the language of orders",
    "language/names.py": "the language of orders",
    "language/slots.py": "the language of orders",
    "language/truthtrance.py": "how questions under Truthtrance are worded",
    "language/truthtrance_facts.py": "how questions under Truthtrance are worded",
    "render/html.py": "HTML",
    "render/picture.py": "SVG",
    "render/board.py": "SVG",
    "language/compound_blanks.py": "the language of deals",
    "language/facts.py": "the language of sheets",
    "language/condition_lines.py": "the language of sheets",
    "language/sheets.py": "the language of sheets",
    "table/clock.py": "why a setting of a clock cannot be",
    "games/requests.py": "why a deadline moved, for the record",
    "moderator/outage.py": "why a deadline moved, for the record",
    "games/silent_players.py": "what the table has voted, for the record",
    "moderator/desk_names.py": "patterns of what game masters write",
}
"""Files with text of three words or more that is no sentence for a player, and the reason for each."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def text_of(node: ast.expr) -> str | None:
    """Return a string, with a NUL for each blank of an f-string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
    return None


# --- sentences in code -----------------------------------------------------------------------------------------------


def is_silent(node: ast.AST) -> bool:
    """Return True for text that no player reads: docstrings, raised errors, log lines, regular expressions."""
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return isinstance(node.func.value, ast.Name) and node.func.value.id in ("log", "re")


def spoken(node: ast.AST) -> Iterator[str]:
    """Yield all texts of three words or more below a node."""
    if is_silent(node):
        return
    text = text_of(node) if isinstance(node, ast.expr) else None
    if text is not None:
        if " " in text and len(re.findall(r"[^\W\d_]{2,}", text)) >= 3:
            yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from spoken(child)


def files_that_speak() -> list[str]:
    return sorted(
        path.relative_to(BOT).as_posix()
        for room in SPEAKING
        for path in (sorted((BOT / room).rglob("*.py")) or [BOT / room])
        if next(spoken(parsed(path)), None)
    )


def test_no_sentence_for_players_stands_in_code() -> None:
    told = {file: list(spoken(parsed(BOT / file))) for file in files_that_speak() if file not in EXCEPTIONS}
    assert told == {}


def test_no_exception_is_left_over() -> None:
    assert sorted(EXCEPTIONS) == [file for file in files_that_speak() if file in EXCEPTIONS]


def test_what_is_said_to_people_is_never_put_together_in_the_call_that_says_it() -> None:
    """Subjects and paragraphs of letters come from templates everywhere, even in files with exceptions."""
    wrong = []
    for path in BOT.rglob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
                "notify", "announce", "tell", "tell_game_master", "farewell", "brief", "notice", "Paragraph", "Heading",
                "Answered",
            ):  # fmt: skip
                wrong += [(path.name, text) for text in spoken(node)]
    assert wrong == []


# --- sentences and their users ---------------------------------------------------------------------------------------


def said(node: ast.expr) -> Iterator[str]:
    """Yield the names that an argument may have; a conditional expression has two."""
    if isinstance(node, ast.IfExp):
        yield from said(node.body)
        yield from said(node.orelse)
    elif (text := text_of(node)) is not None:
        yield text


@cache
def named_in_code() -> frozenset[str]:
    """Return the names of sentences used in the code, with a NUL for parts known only at run time."""
    calls = (node for path in BOT.rglob("*.py") for node in ast.walk(parsed(path)) if isinstance(node, ast.Call))
    return frozenset(
        name
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in SAYING and call.args
        for name in said(call.args[0])
    )


@cache
def words_in_code() -> frozenset[str]:
    """Return all strings in the code of the bot and the rules, with the names of plain-word wishes and powers."""
    paths = [*BOT.rglob("*.py"), *RULES.rglob("*.py")]
    strings = (text_of(node) for path in paths for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant))
    powers = {name for power in POWERS.values() for name in (power.name, *(form.says for form in power.forms))}
    return frozenset(filter(None, strings)) | set(vocabulary().wishes) | powers


@cache
def named_in_pages() -> frozenset[str]:
    """Return the sentences that the archive's pages name, with a NUL for parts known only at run time."""
    names = set()
    for path in (templates_dir() / "archive").glob("*.j2"):
        for call in environment().parse(path.read_text(encoding="utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "say":
                parts = call.args[0].nodes if isinstance(call.args[0], nodes.Concat) else call.args[:1]
                names.add("".join(str(part.value) if isinstance(part, nodes.Const) else "\0" for part in parts))
    return frozenset(names)


@cache
def said_whole() -> frozenset[str]:
    """Return the tables whose sentences the code uses as a whole."""
    calls = (node for path in BOT.rglob("*.py") for node in ast.walk(parsed(path)) if isinstance(node, ast.Call))
    return frozenset(
        text
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "phrases" and (text := text_of(call.args[0]))
    )


@cache
def named_in_templates() -> dict[str, set[str]]:
    """Return the names that sentences use: sentences for `each` and `filled`, tables for `choice`."""
    used: dict[str, set[str]] = {filter_name: set() for filter_name in USING}
    for source in sources().values():
        for call in environment().parse(source).find_all(nodes.Filter):
            if call.name in USING:
                first = call.args[0]
                assert isinstance(first, nodes.Const), f"{call.name} in {source!r} wants a name as it stands"
                used[call.name].add(first.value)
    return used


def fits(name: str, pattern: str) -> bool:
    """Return True if a name fits a pattern, with a word of the program or a number in each blank."""
    match = re.fullmatch("(.+)".join(map(re.escape, pattern.split("\0"))), name)
    return match is not None and all(word in words_in_code() or word.isdigit() for word in match.groups())


def test_every_sentence_is_used() -> None:
    used = named_in_templates()
    unused = [
        name
        for name in (key.removeprefix("2019.") for key in sources())  # without the prefix of an edition's own version
        if name not in words_in_code()
        and name not in used["each"] | used["filled"]
        and name.rpartition(".")[0] not in used["choice"] | said_whole()
        and name not in named_in_pages()
        and not any("\0" in pattern and fits(name, pattern) for pattern in named_in_code() | named_in_pages())
    ]
    assert unused == []


def test_every_sentence_that_is_said_exists() -> None:
    names = named_in_code() | named_in_pages()
    missing = [name for name in names if "\0" not in name and name not in sources()]
    missing += [
        name for name in names if name.strip("\0.") and "\0" in name and not any(fits(s, name) for s in sources())
    ]
    assert missing == []


def test_every_sentence_that_another_one_uses_exists() -> None:
    used = named_in_templates()
    tables = {name.rpartition(".")[0] for name in sources()}
    assert [name for name in used["each"] | used["filled"] if name not in sources()] == []
    assert used["choice"] <= tables


def test_every_question_is_one_that_the_rules_ask_and_every_event_one_that_they_tell() -> None:
    asked = {name.split(".")[1] for name in sources() if name.startswith("question.")}
    assert asked == {*get_args(QuestionKind), "promised"}
    assert news.event_kinds() - words_in_code() == set()


# --- the dialect -----------------------------------------------------------------------------------------------------


COMPUTING = (nodes.For, nodes.Macro, nodes.Assign, nodes.CallBlock, nodes.Include, nodes.Call)


def computes(source: str) -> bool:
    """Return True if a sentence has loops, calls, variables, chains of conditions or tables of words."""
    tree = environment().parse(source)
    chains = any(node.elif_ for node in tree.find_all(nodes.If))
    return chains or any(tree.find_all(COMPUTING)) or any(node.items for node in tree.find_all(nodes.Dict))


def test_sentences_say_and_do_not_compute() -> None:
    """Filters do all computing."""
    assert computes("{% for a in b %}{{ a }}{% endfor %}")
    assert computes("{{ {'a': 'b'}[a] }}")
    assert [name for name, source in sources().items() if computes(source)] == []


def test_every_sentence_is_jinja() -> None:
    assert all(map(written, sources()))


def test_no_sentence_hopes_for_a_paragraph_within() -> None:
    """A sentence is one line; each further paragraph is its own sentence."""
    assert [name for name, source in sources().items() if "\n\n" in source] == []


def test_no_template_is_left_over() -> None:
    pages = {path.relative_to(templates_dir()).as_posix() for path in templates_dir().rglob("*") if path.is_file()}
    others = {page for page in pages if not page.endswith(".toml")}
    archive = {page for page in others if page.startswith("archive/")}
    assert others - archive == {"README.md", "letters/page.html.j2", "manual/mentat.1.j2"}
    users = [*(BOT / "archive").rglob("*.py"), *(templates_dir() / page for page in archive)]
    used = "".join(path.read_text(encoding="utf-8") for path in users)
    assert {page for page in archive if page not in used} == set()
    for page in others - {"README.md"}:
        assert "|safe" not in (templates_dir() / page).read_text(encoding="utf-8").replace(" ", ""), page
