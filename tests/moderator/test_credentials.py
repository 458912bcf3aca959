"""Secrets from systemd or a container: one file each in the directory $CREDENTIALS_DIRECTORY."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import Settings, SettingsError, load_settings
from bot.config.sections import SECRETS
from tests.moderator.test_config import CONFIG

SECRET = "a-secret-of-enough-length"
FORUM = (
    '[forums.arrakis]\nkind = "discourse"\nurl = "https://forum.arrakis.example"\ncategory = 4\nusername = "mentat"\n'
)


@pytest.fixture
def credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a credentials directory with the secrets that Mentat needs."""
    for name in SECRETS:
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "credentials"
    folder.mkdir()
    (folder / "MENTAT_SECRET").write_text(f"{SECRET}\n", encoding="utf-8")
    (folder / "MENTAT_IMAP_PASSWORD").write_text("spice = water\n\n", encoding="utf-8")
    (folder / "tls-key").write_bytes(b"\xff another program's")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    return folder


def load(folder: Path, env: str = "", more: str = "") -> Settings:
    (folder / "config.toml").write_text(CONFIG + more, encoding="utf-8")
    (folder / ".env").write_text(env, encoding="utf-8")
    return load_settings(folder / "config.toml")


def problems(folder: Path, env: str = "", more: str = "") -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(folder, env, more)
    return caught.value.problems


def test_a_credential_is_a_secret_without_the_line_break_behind_it(credentials: Path, tmp_path: Path) -> None:
    secrets = load(tmp_path).secrets
    assert secrets.secret.get_secret_value() == SECRET
    assert secrets.imap_password.get_secret_value() == "spice = water\n"


def test_a_credential_goes_before_the_file_and_the_environment_before_both(
    credentials: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = "MENTAT_IMAP_PASSWORD=in the file\nMENTAT_SMTP_PASSWORD=in the file\n"
    secrets = load(tmp_path, env).secrets
    assert secrets.imap_password.get_secret_value() == "spice = water\n"
    assert secrets.smtp_password.get_secret_value() == "in the file"
    monkeypatch.setenv("MENTAT_IMAP_PASSWORD", "in the environment")
    assert load(tmp_path, env).secrets.imap_password.get_secret_value() == "in the environment"


def test_an_empty_credential_is_none(credentials: Path, tmp_path: Path) -> None:
    (credentials / "MENTAT_IMAP_PASSWORD").write_text("\n", encoding="utf-8")
    assert load(tmp_path, "MENTAT_IMAP_PASSWORD=in the file").secrets.imap_password.get_secret_value() == "in the file"


def test_the_key_of_a_forum_may_be_a_credential(credentials: Path, tmp_path: Path) -> None:
    (credentials / "MENTAT_FORUM_ARRAKIS_KEY").write_text("key of the forum", encoding="utf-8")
    assert load(tmp_path, more=FORUM).forum_keys["arrakis"].get_secret_value() == "key of the forum"
    (told,) = problems(tmp_path)
    assert told.startswith(f"MENTAT_FORUM_ARRAKIS_KEY in {credentials} belongs to no forum")


def test_a_missing_credential_is_named_with_both_places_where_it_may_be(credentials: Path, tmp_path: Path) -> None:
    (credentials / "MENTAT_IMAP_PASSWORD").unlink()
    (credentials / "MENTAT_SECRET").write_text("\n", encoding="utf-8")
    places = f"{tmp_path}/.env, or into a file of that name in {credentials}"
    assert problems(tmp_path) == [
        f"MENTAT_SECRET is missing: put 32 random characters under that name into {places} "
        "(`openssl rand -hex 16` makes some).",
        f"MENTAT_IMAP_PASSWORD is missing: put the password of [mailbox] user into {places}.",
    ]


def test_a_misspelt_credential_is_noticed(credentials: Path, tmp_path: Path) -> None:
    (credentials / "MENTAT_SECRET").rename(credentials / "MENTAT_SECRT")
    assert f"MENTAT_SECRT in {credentials} is not a setting: did you mean MENTAT_SECRET?" in problems(tmp_path)


@pytest.mark.parametrize(("content", "why"), [(b"\xff\xfe", "it is not UTF-8 text"), (None, "Is a directory")])
def test_a_credential_that_cannot_be_read_is_told_and_not_shown(
    credentials: Path, tmp_path: Path, content: bytes | None, why: str
) -> None:
    file = credentials / "MENTAT_SMTP_PASSWORD"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    assert problems(tmp_path) == [f"The credential {file} cannot be read ({why}): put the secret alone into it."]


def test_a_folder_of_credentials_that_is_not_there_is_told(
    credentials: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "nowhere"))
    told = problems(tmp_path)
    assert told[0].startswith(f"CREDENTIALS_DIRECTORY: {tmp_path}/nowhere cannot be read (No such file or directory)")
