"""Count the house: modules, lines, imports, doc strings, documents. `python -m tests.house.counts [FOLDER]`."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

ROOT = Path(__file__).parents[2]
SMALL = 60
MANY = 5
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass
class Counts:
    """The sizes about which `docs/architecture.md` makes promises. Comments and doc strings are not code."""

    modules: int = 0
    lines: int = 0
    lab_lines: int = 0
    code_lines: int = 0
    import_lines: int = 0
    small_modules: int = 0
    crowded_functions: int = 0  # with more than five parameters, not counting `self` and `cls`
    unformatted: int = 0  # `fmt: skip` and `fmt: off`
    doc_strings: int = 0
    document_lines: int = 0
    long_document_lines: int = 0  # with more than 120 characters, also in README.md and similar files

    @property
    def import_share(self) -> float:
        """Return imports per line of code, in percent."""
        return 100 * self.import_lines / self.code_lines

    def __str__(self) -> str:
        rows = [f"{field.name.replace('_', ' '):22} {getattr(self, field.name):7,}" for field in fields(self)]
        return "\n".join([*rows, f"{'imports, percent':22} {self.import_share:7.1f}"])


def count(root: Path = ROOT) -> Counts:
    """Measure `bot/`, `rules/` and the documents below a folder."""
    counts = Counts()
    for file in sorted([*root.glob("bot/**/*.py"), *root.glob("rules/**/*.py")]):
        _count_module(file.read_text("utf-8"), counts, file.relative_to(root).parts)
    for document in [*root.glob("docs/*.md"), *root.glob("*.md"), root / "templates" / "README.md"]:
        lines = document.read_text("utf-8").splitlines()
        counts.document_lines += len(lines) if document.parent.name == "docs" else 0
        counts.long_document_lines += sum(len(line) > 120 for line in lines)
    return counts


def _count_module(text: str, counts: Counts, place: tuple[str, ...]) -> None:
    tree = ast.parse(text)
    lines = text.count("\n")
    counts.modules += 1
    counts.lines += lines
    counts.lab_lines += lines if "lab" in place else 0
    counts.small_modules += lines < SMALL and "migrations" not in place  # each migration must be a module
    counts.unformatted += text.count("# fmt: skip") + text.count("# fmt: off")
    docs: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            counts.import_lines += (node.end_lineno or node.lineno) - node.lineno + 1
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            counts.crowded_functions += len(list(_parameters(node.args))) > MANY
        if doc := _doc_string(node):
            counts.doc_strings += 1
            docs.update(range(doc.lineno, (doc.end_lineno or doc.lineno) + 1))
    counts.code_lines += len(_lines_of_code(text) - docs)


def _parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        if each.arg not in ("self", "cls"):
            yield each


def _doc_string(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not node.body:
        return None
    first = node.body[0]
    is_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return first.value if is_text and isinstance(first, ast.Expr) else None


def _lines_of_code(text: str) -> set[int]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {line for token in tokens if token.type not in _NO_CODE for line in range(token.start[0], token.end[0] + 1)}


if __name__ == "__main__":
    print(count(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT))
