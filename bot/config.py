"""The settings of one Mentat: `config.toml` for what may be seen, `.env` or the environment for what may not.

`load_settings` gives either a complete, checked `Settings` or a `SettingsError` that names everything that is wrong at
once, each in a sentence that says what to do. No message ever holds a secret. `config.example.toml` says what each
setting means to a game master; the sections below are its typed form, and their defaults are the ones it shows.
"""

import io
import os
import re
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo, available_timezones

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails

from bot.resources import example_file
from bot.setting_values import (
    Address,
    Auth,
    Budget,
    Count,
    DaysOff,
    DayTime,
    Endpoint,
    Expects,
    Flag,
    Holidays,
    Hours,
    Minutes,
    OwnZone,
    Percent,
    Place,
    PlaceIfAny,
    Port,
    Seconds,
    Security,
    SomeHours,
    Text,
    TextIfAny,
    Zone,
    closest,
    did_you_mean,
    shown,
)

MIN_SECRET = 16


class SettingsError(Exception):
    """The settings cannot be used. `problems` has a sentence for each thing that is wrong, `str()` all of them."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, allow_inf_nan=False)


class MentatSettings(_Section):
    """[mentat]: who it is, to whom it turns with trouble, and where it keeps everything."""

    name: Text = "Mentat"
    address: Address
    game_master: Address
    plus_addressing: Flag = True
    database: Place = Path("mentat.db")
    timezone: Zone = ZoneInfo("UTC")


class MailboxSettings(_Section):
    """[mailbox]: where mail comes in. `host` and `user` count for "imap", `maildir` for "maildir"."""

    PORTS: ClassVar[Mapping[str, int]] = {"tls": 993, "starttls": 143, "none": 143}

    kind: Literal["imap", "maildir"] = "imap"
    host: Text = ""
    security: Security = "tls"
    port: Port = Field(default_factory=lambda said: MailboxSettings.PORTS[said.get("security", "tls")])
    ca_file: PlaceIfAny = None
    user: Text = ""
    auth: Auth = "password"
    folder: Text = "INBOX"
    processed: Text = "Mentat/Processed"
    shunted: Text = "Mentat/Shunted"
    maildir: Place = Path("Maildir")
    poll_seconds: Seconds = 60
    idle: Flag = True
    timeout_seconds: Seconds = 30


class SmtpSettings(_Section):
    """[smtp]: how mail goes out. Without a `user` nobody logs in; `directory` counts for "directory"."""

    PORTS: ClassVar[Mapping[str, int]] = {"tls": 465, "starttls": 587, "none": 25}

    kind: Literal["smtp", "directory"] = "smtp"
    host: Text = ""
    security: Security = "starttls"
    port: Port = Field(default_factory=lambda said: SmtpSettings.PORTS[said.get("security", "starttls")])
    ca_file: PlaceIfAny = None
    user: Text = ""
    auth: Auth = "password"
    sender: Address = Field(default="", validation_alias="from")
    directory: Place = Path("outgoing")
    timeout_seconds: Seconds = 30


class OAuthSettings(_Section):
    """[oauth]: where access tokens come from, for servers with `auth = "xoauth2"`."""

    token_url: Endpoint = ""
    client_id: TextIfAny = ""
    scope: TextIfAny = ""


class LimitSettings(_Section):
    """[limits]: how much of anybody's mail is read and answered."""

    max_message_bytes: Count = 10_000_000
    max_lines: Count = 200
    line_chars: Count = 1000
    seconds_per_message: Seconds = 20
    answers_per_hour: Count = 20
    strangers_bytes: Count = 20_000_000


class ClockSettings(_Section):
    """[clock]: how long a question stays open, when it may fall due, who is reminded, and what stops the clocks.

    A game may have its own `step_hours`, `timezone`, `due_at`, `days_off`, `holidays`, `minimum_hours`, `grace_hours`.
    """

    step_hours: Hours = 24
    timezone: OwnZone = None
    due_at: DayTime = None
    days_off: DaysOff = ()
    holidays: Holidays = ()
    minimum_hours: SomeHours = 0
    grace_hours: SomeHours = 0
    outage_minutes: Minutes = 15
    silence_stops: Flag = True
    silence_players: Count = 4
    silence_percent: Percent = 80
    reminder_hours: Annotated[tuple[Hours, ...], Expects("a list of hours like [6] or [24, 6], each above 0")] = (6,)
    caretaker_after: Budget = 3
    caretaker_on_resignation: Flag = False
    absence_days: Budget = 14
    extension_hours: Budget = 72
    unreachable_hours: Budget = 48
    bank_hours: Budget = 0


class RetentionSettings(_Section):
    """[retention]: for how many days mail and addresses are kept; 0 is for ever."""

    days: Budget = 0


class IdentitySettings(_Section):
    """[identity]: how a player is known, and by what his address is proved where it must be."""

    mode: Literal["token+sender", "token+sender+auth"] = "token+sender"
    authserv_id: TextIfAny = ""
    dkim: Flag = False
    dns_hours: Budget = 6


class Secrets(_Section):
    """What stands in `.env` and never in `config.toml`: MENTAT_SECRET, MENTAT_IMAP_PASSWORD and so on. "" is none."""

    secret: SecretStr = SecretStr("")
    imap_password: SecretStr = SecretStr("")
    smtp_password: SecretStr = SecretStr("")
    oauth_refresh_token: SecretStr = SecretStr("")
    oauth_client_secret: SecretStr = SecretStr("")


class Settings(_Section):
    """Everything that a game master may set. Example: `load_settings(Path("config.toml")).mailbox.port`."""

    mentat: MentatSettings
    mailbox: MailboxSettings
    smtp: SmtpSettings
    oauth: OAuthSettings = OAuthSettings()
    limits: LimitSettings = LimitSettings()
    clock: ClockSettings = ClockSettings()
    identity: IdentitySettings = IdentitySettings()
    retention: RetentionSettings = RetentionSettings()
    secrets: Secrets

    @property
    def sender(self) -> str:
        """The address that mail is sent from: [smtp] from, or else the address of [mentat]."""
        return self.smtp.sender or self.mentat.address


_SECTIONS: Mapping[str, type[_Section]] = {
    "mentat": MentatSettings,
    "mailbox": MailboxSettings,
    "smtp": SmtpSettings,
    "oauth": OAuthSettings,
    "limits": LimitSettings,
    "clock": ClockSettings,
    "identity": IdentitySettings,
    "retention": RetentionSettings,
}
_SECRETS = {f"MENTAT_{field.upper()}": field for field in Secrets.model_fields}


def load_settings(path: Path) -> Settings:
    """Read and check `path` and the `.env` beside it. Files named in the settings are looked for beside `path` too.

    Raises `SettingsError` naming all that is wrong, and changes nothing.
    """
    tables = _read_toml(path)
    problems = list(_strange_sections(tables))
    sections: dict[str, Any] = {}
    for name, section in _SECTIONS.items():
        table = tables.get(name, {})
        if not isinstance(table, dict):
            problems.append(f"{name} must be a section: write [{name}] on a line of its own and its settings below it.")
            continue
        try:
            sections[name] = section.model_validate(table, context={"directory": path.parent})
        except ValidationError as error:
            problems += dict.fromkeys(_sentence(name, section, details) for details in error.errors(include_url=False))
    env = path.parent / ".env"
    in_file = _read_env(env)
    problems += _strange_secrets(in_file, env)
    given = {**in_file, **os.environ}
    known = Secrets.model_validate({field: given[name] for name, field in _SECRETS.items() if given.get(name)})
    problems += _missing(sections.get("mailbox"), sections.get("smtp"), known, env)
    problems += _missing_for_tokens(sections, known, env)
    problems += _contradictions(sections)
    if problems:
        raise SettingsError(problems)
    return Settings(**sections, secrets=known)


def changed_clock(clock: ClockSettings, changes: Mapping[str, Any]) -> ClockSettings:
    """The clock settings with some of them replaced. SettingsError names all that is wrong with the result."""
    given = {name: getattr(clock, name) for name in clock.model_fields_set} | dict(changes)
    try:
        made = ClockSettings.model_validate(given)
    except ValidationError as error:
        said = (_sentence("clock", ClockSettings, details) for details in error.errors(include_url=False))
        raise SettingsError(list(dict.fromkeys(said))) from None
    if problems := list(_contradictions({"clock": made})):
        raise SettingsError(problems)
    return made


def starter_files() -> dict[str, str]:
    """The files of a new Mentat by name, `config.toml` and `.env`: the examples, with a fresh MENTAT_SECRET.

    They load without a problem; addresses, servers and passwords are the game master's to fill in.
    """
    env = example_file(".env.example").read_text(encoding="utf-8")
    return {
        "config.toml": example_file("config.example.toml").read_text(encoding="utf-8"),
        ".env": re.sub(r"(?m)^MENTAT_SECRET=.*$", f"MENTAT_SECRET={secrets.token_urlsafe(32)}", env),
    }


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        problem = f"{path} is missing: write one with `mentat init`, or name yours with --config FILE."
    except OSError as error:
        problem = f"{path} cannot be read ({error.strerror}): check that it is a file and that you may read it."
    except UnicodeDecodeError:
        problem = f"{path} is not UTF-8 text: save it as UTF-8."
    except tomllib.TOMLDecodeError as error:
        problem = f"{path} is not valid TOML: {error}. Text needs quotes, and each setting a line of its own."
    raise SettingsError([problem])


def _read_env(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            [f"{path} cannot be read: check that it is UTF-8 text and that you may read it."]
        ) from error
    lines = dotenv_values(stream=io.StringIO(text), interpolate=False)
    return {name: value or "" for name, value in lines.items()}


def _strange_sections(tables: Mapping[str, Any]) -> Iterator[str]:
    for name, content in tables.items():
        if name in _SECTIONS:
            continue
        if isinstance(content, dict):
            yield f"[{name}] is not a section{did_you_mean(name, list(_SECTIONS))}"
        elif homes := [section for section, model in _SECTIONS.items() if name in _keys(model)]:
            yield f"{name} stands outside of any section: put it below {' or '.join(f'[{home}]' for home in homes)}."
        else:
            yield f"{name} is not a setting: delete the line, or put it into the section where it belongs."


def _sentence(section: str, model: type[_Section], error: ErrorDetails) -> str:
    key = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _strange_key(section, model, key)
    expects = _keys(model)[key]
    if error["type"] == "missing":
        return f"[{section}] {key} is missing: give {expects}."
    value = error["input"]
    hint = ""
    if expects.startswith("a time zone") and isinstance(value, str):
        hint = closest(value, sorted(available_timezones()))
    elif error["type"] == "literal_error" and isinstance(value, str):
        hint = closest(value, re.findall("'([^']+)'", error["ctx"]["expected"]))
    elif isinstance(value, str) and re.fullmatch(r"[\d._]+|true|false", value):
        hint = f"{value} without quotes"
    return f"[{section}] {key}: {shown(value)} is not {expects}{f' (did you mean {hint}?)' if hint else '.'}"


def _strange_key(section: str, model: type[_Section], key: str) -> str:
    if (section, key) == ("clock", "tempo"):
        return "[clock] tempo is a reserved name and does nothing yet: delete it, and set step_hours."
    if re.search("password|secret", key, re.IGNORECASE):
        names = ", ".join(_SECRETS)
        return f"[{section}] {key}: secrets do not belong in this file: delete the line and use .env ({names})."
    return f"[{section}] {key} is not a setting{did_you_mean(key, list(_keys(model)))}"


def _strange_secrets(in_file: Mapping[str, str], env: Path) -> Iterator[str]:
    for name in in_file:
        if name.startswith("MENTAT_") and name not in _SECRETS:
            yield f"{name} in {env} is not a setting{did_you_mean(name, list(_SECRETS))}"


def _missing(mailbox: MailboxSettings | None, smtp: SmtpSettings | None, known: Secrets, env: Path) -> Iterator[str]:
    secret = known.secret.get_secret_value()
    if len(secret) < MIN_SECRET:
        state = f"is shorter than {MIN_SECRET} characters" if secret else "is missing"
        yield f"MENTAT_SECRET {state}: put MENTAT_SECRET= and 32 random characters into {env} (`mentat init` does)."
    if mailbox and mailbox.kind == "imap":
        if not mailbox.host:
            yield '[mailbox] host is missing: name your IMAP server, or set kind = "maildir".'
        if not mailbox.user:
            yield "[mailbox] user is missing: give the name that logs in to the IMAP server."
        if mailbox.auth == "password" and not known.imap_password.get_secret_value():
            yield f"MENTAT_IMAP_PASSWORD is missing: put the password of [mailbox] user into {env}."
    if smtp and smtp.kind == "smtp":
        if not smtp.host:
            yield '[smtp] host is missing: name your SMTP server, or set kind = "directory".'
        if smtp.user and smtp.auth == "password" and not known.smtp_password.get_secret_value():
            yield f"MENTAT_SMTP_PASSWORD is missing: put the password of [smtp] user into {env}."


def _missing_for_tokens(sections: Mapping[str, Any], known: Secrets, env: Path) -> Iterator[str]:
    """What is wanted for access tokens and for authorities of one's own."""
    oauth = sections.get("oauth")
    for name in ("mailbox", "smtp"):
        given = sections.get(name)
        if not given or given.kind not in ("imap", "smtp"):
            continue
        if given.ca_file and not given.ca_file.is_file():
            yield f"[{name}] ca_file: there is no file {given.ca_file}."
        if given.auth == "xoauth2" and not given.user:
            yield f"[{name}] user is missing: give the name that the access token is for."
        if given.auth == "xoauth2" and oauth and not (oauth.token_url and oauth.client_id):
            yield f'[oauth] token_url and client_id are missing: [{name}] auth = "xoauth2" needs both.'
        if given.auth == "xoauth2" and not known.oauth_refresh_token.get_secret_value():
            yield f'MENTAT_OAUTH_REFRESH_TOKEN is missing: [{name}] auth = "xoauth2" needs it in {env}.'


def _contradictions(given: Mapping[str, Any]) -> Iterator[str]:
    mailbox: MailboxSettings | None = given.get("mailbox")
    clock: ClockSettings | None = given.get("clock")
    if mailbox and len({mailbox.folder, mailbox.processed, mailbox.shunted}) < 3:
        yield "[mailbox] folder, processed and shunted must be three different folders."
    if clock:
        for hours in (hours for hours in clock.reminder_hours if hours >= clock.step_hours):
            yield f"[clock] reminder_hours: {hours:g} is not below step_hours, which is {clock.step_hours:g}."
        if clock.minimum_hours > clock.step_hours:
            yield f"[clock] minimum_hours: {clock.minimum_hours:g} is above step_hours, which is {clock.step_hours:g}."
        if len(set(clock.days_off)) == 7:
            yield "[clock] days_off names every day of the week: leave one on which a deadline can fall."
    identity: IdentitySettings | None = given.get("identity")
    if identity and identity.mode == "token+sender+auth" and not (identity.authserv_id or identity.dkim):
        yield "[identity] mode asks for proof of senders: name your mail server with authserv_id, or set dkim = true."


def _keys(model: type[_Section]) -> dict[str, str]:
    """The settings of a section as written in the file, each with the words for what it must be."""
    found: dict[str, str] = {}
    for name, field in model.model_fields.items():
        choices = getattr(field.annotation, "__args__", ())
        words = [part.words for part in field.metadata if isinstance(part, Expects)]
        key = field.validation_alias if isinstance(field.validation_alias, str) else name
        found[key] = words[0] if words else "one of " + ", ".join(f'"{choice}"' for choice in choices)
    return found
