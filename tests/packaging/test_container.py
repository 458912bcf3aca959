"""Tests for the container file and `compose.yaml` where no image can be built.

The files are parsed, the files they copy must exist, and the programs they start must be commands of Mentat. With
``MENTAT_INSTALL=1`` the build commands run in folders of this machine, and the result runs as the image's user.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot import VERSION
from bot.cli import app
from bot.config import load_settings, starter_files
from bot.config.sections import SECRETS
from tests.packaging.conftest import REPOSITORY
from tests.packaging.containerfile import copy_of, left_out, stages
from tests.packaging.test_wheel import AT_RUN_TIME, INSTALL
from tests.packaging.typed import refusal

PLACE = REPOSITORY / "packaging/container"
FILE = PLACE / "Containerfile"
IGNORED = REPOSITORY / ".dockerignore"
USER = 10001
NEEDED_TO_BUILD = [
    *AT_RUN_TIME,
    *(
        key
        for key in tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"][
            "wheel"
        ]["force-include"]
    ),
]


def test_there_are_two_stages_of_plain_names_and_the_second_has_no_sources() -> None:
    build, image = stages(FILE)
    assert [stage.image for stage in (build, image)] == ["python:3.11-slim"] * 2
    assert [copy_of(each).of for each in image.all("COPY")] == [build.name]


def test_what_is_copied_exists_and_is_not_left_out_of_the_context() -> None:
    build, _ = stages(FILE)
    copied = [source for each in build.all("COPY") for source in copy_of(each).sources]
    assert [source for source in copied if not (REPOSITORY / source).exists()] == []
    assert [source for source in copied if left_out(IGNORED, f"{source}/any.file")] == []
    assert {path for path in NEEDED_TO_BUILD if path not in copied} == set()


@pytest.mark.parametrize(
    "path", [".env", "config.toml", "mentat.db", ".venv/bin/python", ".git/config", "tests/size.py"]
)
def test_what_is_a_game_masters_own_never_comes_into_the_context(path: str) -> None:
    assert left_out(IGNORED, path)


def test_it_runs_as_a_user_who_is_not_root_in_the_one_folder_that_is_kept() -> None:
    _, image = stages(FILE)
    assert image.one("USER").words == f"{USER}:{USER}"
    assert any(f"useradd --uid {USER} " in each.words for each in image.all("RUN"))
    assert image.one("WORKDIR").words == image.one("VOLUME").words == "/data"
    assert image.one("STOPSIGNAL").words == "SIGTERM"
    assert image.instructions.index(image.all("RUN")[-1]) < image.instructions.index(image.one("USER"))


def test_what_it_starts_and_asks_are_commands_of_mentat() -> None:
    _, image = stages(FILE)
    (entry,), words = image.one("ENTRYPOINT").listed(), image.one("CMD").listed()
    options, _, health = image.one("HEALTHCHECK").words.partition(" CMD ")
    asked = re.findall(r'"([^"]+)"', health)
    assert (entry, asked[0]) == ("mentat", "mentat")
    assert (refusal(app, words), refusal(app, asked[1:])) == ("", "")
    assert {option.partition("=")[0] for option in options.split()} == {
        "--interval", "--timeout", "--start-period", "--retries",
    }  # fmt: skip


@pytest.fixture
def compose() -> Any:
    return yaml.safe_load((PLACE / "compose.yaml").read_text(encoding="utf-8"))


def test_compose_names_what_there_is(compose: Any) -> None:
    services = compose["services"]
    mentat, database = services["mentat"], services["database"]
    assert (PLACE / mentat["build"]["context"]).resolve() == REPOSITORY
    assert (REPOSITORY / mentat["build"]["dockerfile"]) == FILE
    assert set(mentat["depends_on"]) <= set(services)
    assert {secret for service in services.values() for secret in service["secrets"]} == set(compose["secrets"])
    named = {place.partition(":")[0] for service in services.values() for place in service["volumes"]}
    assert {name for name in named if not name.startswith(".")} == set(compose["volumes"])
    assert re.fullmatch(r"postgres:(\d+)", database["image"])
    assert int(database["image"].partition(":")[2]) >= 15


def test_compose_starts_a_command_of_mentat_in_a_container_that_can_write_its_folder_alone(compose: Any) -> None:
    mentat = compose["services"]["mentat"]
    assert refusal(app, mentat["command"]) == ""
    assert mentat["read_only"] is True
    assert mentat["cap_drop"] == ["ALL"]
    assert mentat["volumes"] == ["./dune:/data"]


def test_the_settings_that_the_page_names_fit_what_compose_starts(
    compose: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test uses the line from docs/operating.md in the starter files, and a value for each secret."""
    page = (REPOSITORY / "docs/operating.md").read_text(encoding="utf-8")
    (url,) = re.findall(r'(?m)^ +url = "(postgresql://mentat@database/mentat)"$', page)
    (tmp_path / "config.toml").write_text(starter_files()["config.toml"].replace('# url = ""', f'url = "{url}"', 1))
    handed_over = tmp_path / "secrets"
    handed_over.mkdir()
    for secret in compose["services"]["mentat"]["secrets"]:
        assert secret in SECRETS
        monkeypatch.delenv(secret, raising=False)
        (handed_over / secret).write_text(f"handed over: {secret}\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(handed_over))
    assert compose["services"]["mentat"]["environment"] == {"CREDENTIALS_DIRECTORY": "/run/secrets"}
    settings = load_settings(tmp_path / "config.toml")
    made = compose["services"]["database"]["environment"]
    assert settings.database.url == f"postgresql://{made['POSTGRES_USER']}@database/{made['POSTGRES_DB']}"
    assert settings.secrets.database_password.get_secret_value() == "handed over: MENTAT_DATABASE_PASSWORD"
    assert made["POSTGRES_PASSWORD_FILE"] == "/run/secrets/MENTAT_DATABASE_PASSWORD"


WITHOUT_A_SERVER = """
[mentat]
address = "mentat@arrakis.example"
game_master = "gm@arrakis.example"
[mailbox]
kind = "maildir"
[smtp]
kind = "directory"
"""


def _python_of_everybody() -> str:
    """Return a Python outside any home folder that can make environments, or ""."""
    asked = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))"
    places = [place for place in ("/usr/bin/python3", "/usr/local/bin/python3") if Path(place).exists()]
    ran = ((place, subprocess.run([place, "-c", asked], capture_output=True, check=False)) for place in places)
    return next((place for place, answer in ran if answer.returncode == 0), "")


PYTHON = _python_of_everybody() if INSTALL else ""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder that everybody may read; pytest's own folders are private."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.slow
@pytest.mark.skipif(not INSTALL, reason="MENTAT_INSTALL=1 gives the commands of the container file, as .ci/run does")
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become the user of the image")
@pytest.mark.skipif(not PYTHON, reason="no Python that every user may start (apt-get install python3 python3-venv)")
def test_its_commands_make_an_environment_that_runs_as_its_user_and_writes_its_folder_alone(open_folder: Path) -> None:
    build, image = stages(FILE)
    source, opt, data = (open_folder / name for name in ("src", "opt", "data"))
    source.mkdir()
    opt.mkdir()
    for each in build.instructions:
        if each.name == "COPY":
            copied = copy_of(each)
            for name in copied.sources:
                target = source / (copied.target if len(copied.sources) == 1 else name)
                if (REPOSITORY / name).is_dir():
                    shutil.copytree(REPOSITORY / name, target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(REPOSITORY / name, target)
        elif each.name == "RUN":
            _run(source, ["sh", "-ec", each.words.replace("/opt/", f"{opt}/").replace("python3", PYTHON, 1)])
    data.mkdir()
    os.chown(data, USER, USER)
    (data / "config.toml").write_text(WITHOUT_A_SERVER)
    before = _files(open_folder)
    mentat = [str(opt / "mentat/bin" / image.one("ENTRYPOINT").listed()[0])]
    assert _as_user(data, [*mentat, "--version"]) == f"mentat {VERSION}\n"
    _as_user(data, [*mentat, "init"])
    running = subprocess.Popen(
        [*mentat, *image.one("CMD").listed()], cwd=data, env=_environment(), user=USER, group=USER, extra_groups=[],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert running.stdout is not None
        assert "Mentat is running" in running.stdout.readline()
        running.send_signal(signal.Signals[image.one("STOPSIGNAL").words])
        assert running.wait(timeout=120) == 0
    finally:
        running.kill()
    assert {path for path in _files(open_folder) - before if data not in path.parents} == set()
    assert (data / "mentat.db").stat().st_uid == USER


def _environment() -> dict[str, str]:
    _, image = stages(FILE)
    given = dict(word.split("=", 1) for word in image.one("ENV").words.split())
    return {**given, "PATH": "/usr/local/bin:/usr/bin:/bin"}


def _as_user(folder: Path, command: list[str]) -> str:
    ran = subprocess.run(
        command, cwd=folder, env=_environment(), user=USER, group=USER, extra_groups=[], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def _run(folder: Path, command: list[str]) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))
