"""The product's code with probes in it: every comparison, condition and choice notes how it came out.

A comparison of numbers notes which is the larger, and whether they are equal or one apart; ``and`` and ``or`` note what
each of their parts was; a filter, a loop or a call of ``min`` notes what it chose. So two inputs on both sides of a
limit, and the one at it, are told apart, which counting lines does not do. Only for looking for inputs: ``install`` has
to be called before anything of the product is loaded.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

Feature = tuple[int, object]
"""A place in the code and how it came out there."""

noted: set[Feature] = set()
"""What was noted since somebody cleared this."""

module_of: list[str] = []
"""Of each place the module where it stands."""

PRODUCT = ("bot", "rules")
MANY = 4
PROBES = "_probes_of_tests"
_COMPARED = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}  # fmt: skip
_CHOOSERS = {"min", "max", "sorted", "any", "all", "sum", "next", "len"}


def truth(place: int, value: Any) -> Any:
    """A condition, or a part of one."""
    noted.add((place, _true(value)))
    return value


def compared(place: int, how: str, one: Any, other: Any) -> Any:
    """A comparison."""
    outcome = _OPERATORS[how](one, other)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        noted.add((place, max(-2, min(2, one - other))))
    elif "in" in how and isinstance(other, (tuple, list)) and len(other) <= MANY:
        noted.add((place, other.index(one) if outcome is (how == "in") else -1))
    else:
        noted.add((place, _true(outcome)))
    return outcome


def came(place: int, value: Any) -> Any:
    """What a function gives back, or a call chose."""
    noted.add((place, _size(value)))
    return value


def _true(value: Any) -> object:
    """Whether it counts as true; conditions of a database are neither."""
    try:
        return bool(value)
    except TypeError:
        return None


def _size(value: Any) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return "number", min(value, MANY)
    if isinstance(value, (str, bytes)):
        return "text", bool(value)
    if isinstance(value, (tuple, list, dict, set, frozenset)):
        return type(value).__name__, min(len(value), 3)
    return type(value).__name__


class _Prober(ast.NodeTransformer):
    """Puts the probes into a module."""

    def __init__(self, module: str) -> None:
        self._module = module

    def _probe(self, name: str, where: ast.AST, *values: ast.expr) -> ast.expr:
        module_of.append(self._module)
        place = ast.Constant(len(module_of) - 1)
        call = ast.Call(ast.Attribute(ast.Name(PROBES, ast.Load()), name, ast.Load()), [place, *values], [])
        return ast.copy_location(call, where)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        how = _COMPARED.get(type(node.ops[0]))
        if len(node.ops) > 1 or how is None:
            return self._probe("truth", node, node)
        return self._probe("compared", node, ast.Constant(how), node.left, node.comparators[0])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [self._probe("truth", value, value) for value in node.values]
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = self._probe("truth", node, node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = self._probe("truth", node, node.test)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.test = self._probe("truth", node, node.test)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [self._probe("truth", test, test) for test in node.ifs]
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None:
            node.value = self._probe("came", node, node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _CHOOSERS:
            return self._probe("came", node, node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(each) for each in node.body]
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Patterns are no expressions; guards and bodies are looked at."""
        node.subject = self.visit(node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self._probe("truth", case.guard, self.visit(case.guard))
            case.body = [self.visit(each) for each in case.body]
        return node


def with_probes(text: str, module: str, path: str) -> CodeType:
    """A module's code with probes in it."""
    tree = _Prober(module).visit(ast.parse(text, path))
    place = next((n for n, each in enumerate(tree.body) if not _stays_first(each)), len(tree.body))
    tree.body[place:place] = ast.parse(f"import {__name__} as {PROBES}").body
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class _ProbedSource(SourceFileLoader):
    """Compiles a module with probes in it, whatever is compiled already."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return with_probes(self.get_data(path).decode(), fullname, path)


def _stays_first(statement: ast.stmt) -> bool:
    return (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)) or (
        isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    )


class _Finder:
    """Finds the modules of the product."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in PRODUCT:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _ProbedSource(spec.loader.name, spec.loader.path)
        return spec


def install() -> None:
    """Load the product with probes from now on. RuntimeError if some of it is loaded already."""
    if any(room in sys.modules for room in PRODUCT):
        raise RuntimeError("the product is loaded already, without probes")
    sys.meta_path.insert(0, _Finder())


def looked_at(rooms: Sequence[str], run: Callable[[], object]) -> set[Feature]:
    """What comes out while something runs, in some rooms: "bot.language"."""
    noted.clear()
    run()
    return {feature for feature in noted if _in(feature[0], tuple(rooms))}


@cache
def _in(place: int, rooms: tuple[str, ...]) -> bool:
    return any(module_of[place] == room or module_of[place].startswith(f"{room}.") for room in rooms)
