"""The typed sections of the settings, with the default values that `config.example.toml` shows.

`config.example.toml` explains each setting to game masters.
"""

from collections.abc import Mapping
from datetime import time
from pathlib import Path
from typing import Annotated, ClassVar, Literal
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from bot.config import values


class Section(BaseModel):
    """One section of the settings. Unknown settings are errors, and the values cannot be changed later."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class MentatSettings(Section):
    """[mentat]: Mentat's name and address, the game master's address (also for reports of trouble), the database file,
    and settings for mail."""

    name: values.Text = "Mentat"
    address: values.Address
    game_master: values.Address
    plus_addressing: values.Flag = True
    database: values.Place = Path("mentat.db")
    timezone: values.Zone = ZoneInfo("UTC")
    plain_words: Literal["take", "propose"] = "take"
    subjects: Literal["letter", "turn", "game"] = "letter"
    receipts: values.Flag = False
    desk_mail: values.DayTimeOrOff = time(8)
    desk_mail_always: values.Flag = False


class DatabaseSettings(Section):
    """[database]: where all data is stored, if not in the file given under [mentat]. The URL of a file is treated as if
    it were given under [mentat]. So once the settings are loaded, ``url`` is the URL of a server, or empty."""

    url: values.DatabaseUrl = ""
    direct_url: values.ServerUrl = ""


class PageSettings(Section):
    """[pages]: web pages for players. Every letter ends with links to the pages given here, and the last letter of a
    game also links to the game's page in the `archive`."""

    rules: values.Page = ""
    help: values.Page = ""
    archive: values.Page = ""


class MailboxSettings(Section):
    """[mailbox]: incoming mail. `host` and `user` are used if `kind` is "imap", and `maildir` if it is "maildir"."""

    PORTS: ClassVar[Mapping[str, int]] = {"tls": 993, "starttls": 143, "none": 143}

    kind: Literal["imap", "maildir"] = "imap"
    host: values.Text = ""
    security: values.Security = "tls"
    port: values.Port = Field(default_factory=lambda said: MailboxSettings.PORTS[said.get("security", "tls")])
    ca_file: values.PlaceIfAny = None
    user: values.Text = ""
    auth: values.Auth = "password"
    folder: values.Text = "INBOX"
    processed: values.Text = "Mentat/Processed"
    shunted: values.Text = "Mentat/Shunted"
    maildir: values.Place = Path("Maildir")
    poll_seconds: values.Seconds = 60
    idle: values.Flag = True
    timeout_seconds: values.Seconds = 30


class SmtpSettings(Section):
    """[smtp]: outgoing mail. If there is no `user`, Mentat does not log in. `directory` is used if `kind` is
    "directory"."""

    PORTS: ClassVar[Mapping[str, int]] = {"tls": 465, "starttls": 587, "none": 25}

    kind: Literal["smtp", "directory"] = "smtp"
    host: values.Text = ""
    security: values.Security = "starttls"
    port: values.Port = Field(default_factory=lambda said: SmtpSettings.PORTS[said.get("security", "starttls")])
    ca_file: values.PlaceIfAny = None
    user: values.TextIfAny = ""
    auth: values.Auth = "password"
    sender: values.Address = Field(default="", validation_alias="from")
    directory: values.Place = Path("outgoing")
    timeout_seconds: values.Seconds = 30


class OAuthSettings(Section):
    """[oauth]: where to get access tokens for servers with `auth = "xoauth2"`."""

    token_url: values.Endpoint = ""
    client_id: values.TextIfAny = ""
    scope: values.TextIfAny = ""


class LimitSettings(Section):
    max_message_bytes: values.Count = 10_000_000
    max_lines: values.Count = 200
    line_chars: values.Count = 1000
    seconds_per_message: values.Seconds = 20
    answers_per_hour: values.Count = 20
    strangers_bytes: values.Count = 20_000_000
    strangers_letters_per_day: values.Count = 4
    strangers_letters_per_hour: values.Count = 100


class ClockSettings(Section):
    """[clock]: the time for each question, possible due times, reminders, and the reasons for which the clocks stop. A
    game may have its own `step_hours`, `timezone`, `due_at`, `days_off`, `holidays`, `minimum_hours` and `grace_hours`,
    and it keeps the `opponent_minutes` with which it began."""

    step_hours: values.Hours = 24
    timezone: values.OwnZone = None
    due_at: values.DayTime = None
    days_off: values.DaysOff = ()
    holidays: values.Holidays = ()
    minimum_hours: values.SomeHours = 0
    grace_hours: values.SomeHours = 0
    opponent_minutes: values.SomeMinutes = 0
    outage_minutes: values.Minutes = 15
    silence_stops: values.Flag = True
    silence_players: values.Count = 4
    silence_percent: values.Percent = 80
    silence_hours: values.Budget = 48
    reminder_hours: Annotated[
        tuple[values.Hours, ...], values.Expects("a list of hours like [6] or [24, 6], each above 0")
    ] = (6,)
    caretaker_after: values.Budget = 3
    caretaker_on_resignation: values.Flag = False
    absence_days: values.Budget = 14
    extension_hours: values.Budget = 72
    unreachable_hours: values.Budget = 48
    bank_hours: values.Budget = 0


class SilenceSettings(Section):
    """[silence]: who plays a seat whose player does not write or has resigned: the careful caretaker, or a computer
    opponent that plays to win."""

    caretaker: Literal["careful", "steady", "sharp"] = "careful"

    @property
    def temperament(self) -> str:
        return "" if self.caretaker == "careful" else self.caretaker


class LobbySettings(Section):
    """[lobby]: tables that people find by mail, the people who may do so, and the limits for each person. The time to
    answer a letter never ends in the quiet hours."""

    who: Literal["nobody", "known", "invited", "anybody"] = "nobody"
    approval: values.Flag = False
    keeper_plays: values.Flag = False
    tables: values.Count = 1
    waiting: values.Count = 2
    games: values.Count = 3
    most_games: values.Count = 8
    life_days: values.Count = 14
    longest_days: values.Count = 28
    present_hours: values.Hours = 72
    check_hours: values.Hours = 48
    offer_hours: values.Hours = 48
    quiet_from: values.DayTime = time(23)
    quiet_until: values.DayTime = time(7)
    practice_a_day: values.Budget = 0
    practice_opponents: Literal["steady", "sharp"] = "steady"
    domain_letters_per_hour: values.Count = 30
    first_timers_per_hour: values.Count = 60


class RetentionSettings(Section):
    """[retention]: the number of days for which mail and addresses are kept (`days`), and for which the text of sent
    letters and of mails to finished games is kept (`body_days`). 0 means that they are never deleted."""

    days: values.Budget = 0
    body_days: values.Budget = 60


class IdentitySettings(Section):
    """[identity]: how players are identified, how their addresses are verified if the settings require it, and whether
    several addresses of one mailbox count as one person."""

    mode: Literal["token+sender", "token+sender+auth"] = "token+sender"
    same_mailbox: Literal["one-person", "several"] = "one-person"
    declare_sitters: values.Flag = True
    authserv_id: values.TextIfAny = ""
    dkim: values.Flag = False
    dns_hours: values.Budget = 6

    @property
    def tags_apart(self) -> bool:
        return self.same_mailbox == "several"


class ArchiveSettings(Section):
    """[archive]: the folder that `mentat run` keeps up to date, and how often it rewrites the pages of running games
    there. `running` and `ended` are the defaults for new games: what the folder shows of a game while it is running,
    and after it has ended. `address` is the URL at which the folder is published."""

    folder: values.FolderIfAny = None
    address: values.Page = ""
    running: values.WhileRunning = "hidden"
    ended: Literal["full", "public-only"] = "full"
    beat_minutes: values.Minutes = 60


class LogSettings(Section):
    """[log]: the lowest level of log lines to write, their format, and the file to which they go (None for the
    terminal)."""

    format: Literal["text", "json"] = "text"
    file: values.PlaceIfAny = None
    level: Literal["debug", "info", "warning", "error"] = "warning"


class MonitoringSettings(Section):
    """[monitoring]: how often Mentat sends mail to itself (0 minutes for never), and how many of these mails may be
    missing before Mentat assumes that no mail arrives. `operator` is told of problems ("" for the game master)."""

    canary_minutes: values.CanaryMinutes = 0
    canary_misses: values.Count = 3
    alerts: values.Flag = True
    operator: values.AddressIfAny = ""


class ForumSettings(Section):
    """[forums.NAME]: a forum or mailing list for the public side of games, and how Mentat posts there. `url`,
    `category` and `username` are used for the kinds "discourse" and "misago"; `address`, `envelope_header` and
    `authserv_id` for "list"; and `dialect` for "paste" (`bot.config.complaints`)."""

    kind: Literal["discourse", "list", "paste"]
    posts: Literal["changes", "phases"] = Field(
        default_factory=lambda said: "phases" if said.get("kind") == "paste" else "changes"
    )
    poll_seconds: values.Seconds = 60
    pictures: values.Flag = True
    characters: values.Characters = 0
    seconds_between_posts: values.SecondsIfAny = None
    posts_in_a_row: values.PostsInARow = None
    url: values.ForumPage = ""
    category: values.CategoryIfAny = None
    username: values.TextIfAny = ""
    address: values.AddressIfAny = ""
    envelope_header: values.HeaderName = ""
    authserv_id: values.TextIfAny = ""
    dialect: values.Dialect = None


class Secrets(Section):
    """The secrets, which are never in `config.toml`: MENTAT_SECRET, MENTAT_IMAP_PASSWORD and so on. "" means that there
    is no such secret."""

    secret: SecretStr = SecretStr("")
    imap_password: SecretStr = SecretStr("")
    smtp_password: SecretStr = SecretStr("")
    oauth_refresh_token: SecretStr = SecretStr("")
    oauth_client_secret: SecretStr = SecretStr("")
    database_password: SecretStr = SecretStr("")


class Settings(Section):
    """All settings of one Mentat. Example: `load_settings(Path("config.toml")).mailbox.port`."""

    mentat: MentatSettings
    mailbox: MailboxSettings
    smtp: SmtpSettings
    database: DatabaseSettings = DatabaseSettings()
    pages: PageSettings = PageSettings()
    oauth: OAuthSettings = OAuthSettings()
    limits: LimitSettings = LimitSettings()
    clock: ClockSettings = ClockSettings()
    silence: SilenceSettings = SilenceSettings()
    lobby: LobbySettings = LobbySettings()
    identity: IdentitySettings = IdentitySettings()
    retention: RetentionSettings = RetentionSettings()
    archive: ArchiveSettings = ArchiveSettings()
    log: LogSettings = LogSettings()
    monitoring: MonitoringSettings = MonitoringSettings()
    forums: Mapping[str, ForumSettings] = Field(default_factory=dict)
    secrets: Secrets
    forum_keys: Mapping[str, SecretStr] = Field(default_factory=dict)
    """For each forum, by its name, the key or password of our account there."""

    @property
    def database_place(self) -> Path | str:
        return self.with_password(self.database.url) or self.mentat.database

    @property
    def database_direct(self) -> str:
        """If ``database_place`` is a PgBouncer in front of the database server, return the URL of the server itself;
        else ""."""
        return self.with_password(self.database.direct_url)

    def with_password(self, url: str) -> str:
        password = self.secrets.database_password.get_secret_value()
        if not url or not password:
            return url
        parts = urlsplit(url)
        user, _, host = parts.netloc.rpartition("@")
        return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}").geturl()

    @property
    def operator(self) -> str:
        return self.monitoring.operator or self.mentat.game_master

    @property
    def key(self) -> bytes:
        return self.secrets.secret.get_secret_value().encode()

    @property
    def sender(self) -> str:
        """The address from which mail is sent: [smtp] from or, if it is not set, the address of [mentat]."""
        return self.smtp.sender or self.mentat.address

    def is_by_hand(self, forum: str) -> bool:
        """Return whether a person copies the posts to and from this forum by hand. In that case no codes are sent to
        link forum accounts with seats."""
        return forum in self.forums and self.forums[forum].kind == "paste"


SECTIONS: Mapping[str, type[Section]] = {
    "mentat": MentatSettings,
    "database": DatabaseSettings,
    "pages": PageSettings,
    "mailbox": MailboxSettings,
    "smtp": SmtpSettings,
    "oauth": OAuthSettings,
    "limits": LimitSettings,
    "clock": ClockSettings,
    "silence": SilenceSettings,
    "lobby": LobbySettings,
    "identity": IdentitySettings,
    "retention": RetentionSettings,
    "archive": ArchiveSettings,
    "log": LogSettings,
    "monitoring": MonitoringSettings,
}
SECRETS = {f"MENTAT_{field.upper()}": field for field in Secrets.model_fields}
