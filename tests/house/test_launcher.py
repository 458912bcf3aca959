"""Tests for `./mentat` from any folder: silent if nothing needs doing, clear if it cannot continue.

Each test has its own clone with only the launcher, the locks and stand-ins that print their calls, so nothing is
downloaded. Every fresh clone and `.ci/run` build a real environment.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
LOCKS = ("requirements-demo.lock", "requirements-dev.lock")
TOOLS = ("sh", "awk", "cat", "cmp", "cp", "date", "dirname", "id", "ln", "mkdir", "readlink")


@dataclass(frozen=True)
class Clone:
    """A fresh clone at `root`, and a PATH of `commands` that holds no Python until one is put there."""

    root: Path
    commands: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": str(self.commands), "HOME": str(self.root)}

    def script(self, path: Path, lines: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
        path.chmod(0o755)

    def has_environment(self) -> None:
        """Install stand-ins that print their folder and arguments, and copy the locks, as an installation would."""
        self.script(self.root / ".venv/bin/python", 'echo "$(pwd -P): python $*"')
        self.script(self.root / ".venv/bin/lint-imports", 'echo "lint-imports $*"')
        made = self.root / ".venv/mentat"
        made.mkdir()
        (made / "place").write_text(f"{self.root}\n", encoding="utf-8")
        for lock in LOCKS:
            shutil.copy(self.root / lock, made / lock)

    def start(self, *arguments: str, by: Path | None = None, cwd: Path | None = None) -> tuple[int, str, str]:
        done = subprocess.run(
            [str(by or self.root / "mentat"), *arguments],
            cwd=cwd or self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    root = tmp_path.resolve() / "a clone"
    root.mkdir()
    for name in ("mentat", *LOCKS):
        shutil.copy(REPOSITORY / name, root / name)
    commands = tmp_path.resolve() / "commands"
    commands.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, f"this machine has no {tool}"
        (commands / tool).symlink_to(found)
    return Clone(root, commands)


def test_with_nothing_to_do_it_is_quiet_and_hands_its_arguments_on(clone: Clone, tmp_path: Path) -> None:
    clone.has_environment()
    folder = tmp_path.resolve()
    assert clone.start("game", "show", "Sietch 12", cwd=folder) == (
        0,
        f"{folder}: python -P -m bot game show Sietch 12\n",
        "",
    )


def test_it_finds_home_through_symbolic_links(clone: Clone, tmp_path: Path) -> None:
    clone.has_environment()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/inner").symlink_to(clone.root / "mentat")
    (tmp_path / "bin/mentat").symlink_to("inner")
    code, output, errors = clone.start("--help", by=tmp_path / "bin/mentat", cwd=tmp_path)
    assert (code, errors) == (0, "")
    assert output.endswith("python -P -m bot --help\n")


def test_test_runs_pytest_on_all_cores_in_the_repository(clone: Clone, tmp_path: Path) -> None:
    clone.has_environment()
    code, output, _ = clone.start("test", "-k", "storm or worm", cwd=tmp_path)
    assert (code, output) == (0, f"{clone.root}: python -m pytest -n auto -k storm or worm\n")


def test_tests_keep_compiled_modules_even_where_the_shell_wants_none(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.has_environment()
    clone.script(clone.root / ".venv/bin/python", 'echo "${PYTHONDONTWRITEBYTECODE-unset}"')
    monkeypatch.setattr(Clone, "environment", clone.environment | {"PYTHONDONTWRITEBYTECODE": "1"})
    assert [clone.start(command)[1] for command in ("test", "demo")] == ["unset\n", "1\n"]


def test_lint_runs_every_tool_even_after_a_failure_and_names_the_failed(clone: Clone) -> None:
    clone.has_environment()
    clone.script(clone.root / ".venv/bin/python", 'echo "$*"; [ "$2" != ruff ] || [ "$3" != check ]')
    code, output, errors = clone.start("lint")
    assert code == 1
    assert output.splitlines() == ["-m ruff check .", "-m ruff format --check .", "-m mypy", "lint-imports --no-logo"]
    assert errors == "mentat: lint failed: ruff-check\n"


@pytest.mark.parametrize("command", ["test", "demo"])
def test_a_changed_lock_is_installed_again(clone: Clone, command: str) -> None:
    clone.has_environment()
    for lock in LOCKS:
        (clone.root / lock).write_text("other==1\n", encoding="utf-8")
    _, _, errors = clone.start(command)
    assert errors.startswith("mentat: needs Python 3.11")  # it tries to install, but there is no Python on this PATH


def test_a_moved_clone_is_installed_again(clone: Clone) -> None:
    clone.has_environment()
    moved = clone.root.with_name("moved")
    clone.root.rename(moved)
    _, output, errors = Clone(moved, clone.commands).start("demo")
    assert output == ""
    assert errors.startswith("mentat: needs Python 3.11")


def test_without_any_python_it_says_what_to_install(clone: Clone) -> None:
    code, output, errors = clone.start("demo")
    assert (code, output) == (2, "")
    assert errors == (
        "mentat: needs Python 3.11 or newer and found no python3; "
        "on Debian 12 or later: apt-get install python3 python3-venv\n"
    )


def test_a_python_that_is_too_old_is_refused_by_its_version(clone: Clone) -> None:
    clone.script(clone.commands / "python3", 'case $1 in --version) echo "Python 3.9.2" ;; *) exit 1 ;; esac')
    code, _, errors = clone.start("demo")
    assert code == 2
    assert errors.startswith("mentat: needs Python 3.11 or newer and found Python 3.9.2; ")


def test_a_python_without_venv_says_which_package_is_missing(clone: Clone) -> None:
    clone.script(
        clone.commands / "python3",
        "case $2 in *version_info\\ *) exit 0 ;; *ensurepip*) exit 1 ;; *) echo python3.12-venv ;; esac",
    )
    (clone.commands / "id").unlink()
    clone.script(clone.commands / "id", "echo 1000")
    code, _, errors = clone.start("demo")
    assert code == 2
    assert errors == (
        "mentat: python3 cannot make an environment here; on Debian: sudo apt-get install python3.12-venv\n"
    )


def test_an_environment_that_cannot_be_made_is_told(clone: Clone) -> None:
    clone.script(clone.commands / "python3", '[ "$1" != -m ]')
    code, _, errors = clone.start("demo")
    assert code == 2
    assert errors.splitlines()[-1].startswith(f"mentat: could not make {clone.root}/.venv; is there room")


def test_packages_that_cannot_be_had_are_told_and_not_remembered_as_installed(clone: Clone) -> None:
    clone.has_environment()
    (clone.root / ".venv/mentat/requirements-demo.lock").unlink()
    clone.script(clone.commands / "python3", "exit 0")
    clone.script(clone.root / ".venv/bin/python", '[ "$1" = -c ]')
    code, _, errors = clone.start("demo")
    assert code == 2
    assert "uv could not do it; trying pip" in errors
    assert errors.splitlines()[-1].startswith("mentat: could not install the packages; see above")
    assert not (clone.root / ".venv/mentat/requirements-demo.lock").exists()


def test_two_first_starts_at_once_install_one_after_the_other(clone: Clone) -> None:
    clone.has_environment()
    shutil.rmtree(clone.root / ".venv/mentat")
    clone.script(clone.commands / "python3", f'exec "{Path(sys.executable).resolve()}" "$@"')
    journal, gate = clone.root / "journal", clone.root / "gate"
    os.mkfifo(gate)
    held = os.open(gate, os.O_RDWR)  # an installation lasts until it reads a line from here
    clone.script(
        clone.root / ".venv/bin/uv",
        f'echo begin >>"{journal}"; read -r _ <"{gate}"; echo end >>"{journal}"',
    )
    started = [
        subprocess.Popen([str(clone.root / "mentat")], env=clone.environment, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    first_words = [process.stderr.readline() for process in started if process.stderr]
    os.write(held, b"go\ngo\n")
    rest = [process.communicate(timeout=60)[1] for process in started]
    os.close(held)
    assert [process.returncode for process in started] == [0, 0], (first_words, rest)
    assert sorted(first_words) == [
        "mentat: another start is installing; waiting for it\n",
        "mentat: installing the packages of requirements-demo.lock\n",
    ]
    assert journal.read_text(encoding="utf-8") == "begin\nend\n"
