"""The typed sections of the settings, with the defaults that `config.example.toml` shows.

That file explains each setting to a game master.
"""

from collections.abc import Mapping
from datetime import time
from pathlib import Path
from typing import Annotated, ClassVar, Literal
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from bot.config.values import (
    Address,
    AddressIfAny,
    Auth,
    Budget,
    CanaryMinutes,
    CategoryIfAny,
    Characters,
    Count,
    DatabaseUrl,
    DaysOff,
    DayTime,
    DayTimeOrOff,
    Dialect,
    Endpoint,
    Expects,
    Flag,
    FolderIfAny,
    ForumPage,
    HeaderName,
    Holidays,
    Hours,
    Minutes,
    OwnZone,
    Page,
    Percent,
    Place,
    PlaceIfAny,
    Port,
    PostsInARow,
    Seconds,
    SecondsIfAny,
    Security,
    ServerUrl,
    SomeHours,
    Text,
    TextIfAny,
    WhileRunning,
    Zone,
)


class Section(BaseModel):
    """A section. Unknown settings are an error, and its values never change."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class MentatSettings(Section):
    """[mentat]: its name and address, the game master to notify of trouble, and where it stores everything."""

    name: Text = "Mentat"
    address: Address
    game_master: Address
    plus_addressing: Flag = True
    database: Place = Path("mentat.db")
    timezone: Zone = ZoneInfo("UTC")
    plain_words: Literal["take", "propose"] = "take"
    subjects: Literal["letter", "turn", "game"] = "letter"
    receipts: Flag = False
    desk_mail: DayTimeOrOff = time(8)
    desk_mail_always: Flag = False


class DatabaseSettings(Section):
    """[database]: where everything is stored, if not in the file under [mentat]. A file URL here is treated as if it
    stood in [mentat]. So in loaded settings ``url`` is that of a server, or empty."""

    url: DatabaseUrl = ""
    direct_url: ServerUrl = ""


class PageSettings(Section):
    """[pages]: pages for players. Each letter ends with links to those that are set here, the last one of a game also
    to the game in the `archive`."""

    rules: Page = ""
    help: Page = ""
    archive: Page = ""


class MailboxSettings(Section):
    """[mailbox]: incoming mail. `host` and `user` apply to "imap", `maildir` to "maildir"."""

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


class SmtpSettings(Section):
    """[smtp]: outgoing mail. Without a `user` there is no login. `directory` applies to "directory"."""

    PORTS: ClassVar[Mapping[str, int]] = {"tls": 465, "starttls": 587, "none": 25}

    kind: Literal["smtp", "directory"] = "smtp"
    host: Text = ""
    security: Security = "starttls"
    port: Port = Field(default_factory=lambda said: SmtpSettings.PORTS[said.get("security", "starttls")])
    ca_file: PlaceIfAny = None
    user: TextIfAny = ""
    auth: Auth = "password"
    sender: Address = Field(default="", validation_alias="from")
    directory: Place = Path("outgoing")
    timeout_seconds: Seconds = 30


class OAuthSettings(Section):
    """[oauth]: the source of access tokens, for servers with `auth = "xoauth2"`."""

    token_url: Endpoint = ""
    client_id: TextIfAny = ""
    scope: TextIfAny = ""


class LimitSettings(Section):
    max_message_bytes: Count = 10_000_000
    max_lines: Count = 200
    line_chars: Count = 1000
    seconds_per_message: Seconds = 20
    answers_per_hour: Count = 20
    strangers_bytes: Count = 20_000_000
    strangers_letters_per_day: Count = 4
    strangers_letters_per_hour: Count = 100


class ClockSettings(Section):
    """[clock]: how long a question is open, when it may be due, who is reminded, and what stops the clocks. A game may
    have its own `step_hours`, `timezone`, `due_at`, `days_off`, `holidays`, `minimum_hours`, `grace_hours`."""

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


class RetentionSettings(Section):
    """[retention]: for how many days mail and addresses are kept (`days`), and for how many the content of sent
    letters and of mails of finished games (`body_days`). 0 is for ever."""

    days: Budget = 0
    body_days: Budget = 60


class IdentitySettings(Section):
    """[identity]: how players are identified, how their address is verified if it must be, and whether addresses of
    one mailbox are one person."""

    mode: Literal["token+sender", "token+sender+auth"] = "token+sender"
    same_mailbox: Literal["one-person", "several"] = "one-person"
    declare_sitters: Flag = True
    authserv_id: TextIfAny = ""
    dkim: Flag = False
    dns_hours: Budget = 6

    @property
    def tags_apart(self) -> bool:
        return self.same_mailbox == "several"


class ArchiveSettings(Section):
    """[archive]: the folder that `mentat run` keeps up to date, and how often it rewrites running games there.
    `running` and `ended` are what it shows of a new game while it is running and afterwards. `address` is where the
    folder is published."""

    folder: FolderIfAny = None
    address: Page = ""
    running: WhileRunning = "hidden"
    ended: Literal["full", "public-only"] = "full"
    beat_minutes: Minutes = 60


class LogSettings(Section):
    """[log]: what is logged: in which format, where (None for the terminal), from which level on."""

    format: Literal["text", "json"] = "text"
    file: PlaceIfAny = None
    level: Literal["debug", "info", "warning", "error"] = "warning"


class MonitoringSettings(Section):
    """[monitoring]: how often Mentat sends mail to itself (0 minutes for never), and how many of these mails may be
    missing. `operator` is notified of problems ("" for the game master)."""

    canary_minutes: CanaryMinutes = 0
    canary_misses: Count = 3
    alerts: Flag = True
    operator: AddressIfAny = ""


class ForumSettings(Section):
    """[forums.NAME]: a place for the public side of games, and how Mentat posts there. `url`, `category` and
    `username` apply to "discourse" and "misago", `address`, `envelope_header` and `authserv_id` to "list", and
    `dialect` to "paste" (`bot.config.complaints`)."""

    kind: Literal["discourse", "list", "paste"]
    posts: Literal["changes", "phases"] = Field(
        default_factory=lambda said: "phases" if said.get("kind") == "paste" else "changes"
    )
    poll_seconds: Seconds = 60
    pictures: Flag = True
    characters: Characters = 0
    seconds_between_posts: SecondsIfAny = None
    posts_in_a_row: PostsInARow = None
    url: ForumPage = ""
    category: CategoryIfAny = None
    username: TextIfAny = ""
    address: AddressIfAny = ""
    envelope_header: HeaderName = ""
    authserv_id: TextIfAny = ""
    dialect: Dialect = None


class Secrets(Section):
    """The secrets, which are never in `config.toml`: MENTAT_SECRET, MENTAT_IMAP_PASSWORD and so on. "" is none."""

    secret: SecretStr = SecretStr("")
    imap_password: SecretStr = SecretStr("")
    smtp_password: SecretStr = SecretStr("")
    oauth_refresh_token: SecretStr = SecretStr("")
    oauth_client_secret: SecretStr = SecretStr("")
    database_password: SecretStr = SecretStr("")


class Settings(Section):
    """All settings. Example: `load_settings(Path("config.toml")).mailbox.port`."""

    mentat: MentatSettings
    mailbox: MailboxSettings
    smtp: SmtpSettings
    database: DatabaseSettings = DatabaseSettings()
    pages: PageSettings = PageSettings()
    oauth: OAuthSettings = OAuthSettings()
    limits: LimitSettings = LimitSettings()
    clock: ClockSettings = ClockSettings()
    identity: IdentitySettings = IdentitySettings()
    retention: RetentionSettings = RetentionSettings()
    archive: ArchiveSettings = ArchiveSettings()
    log: LogSettings = LogSettings()
    monitoring: MonitoringSettings = MonitoringSettings()
    forums: Mapping[str, ForumSettings] = Field(default_factory=dict)
    secrets: Secrets
    forum_keys: Mapping[str, SecretStr] = Field(default_factory=dict)
    """The key or password of our account, by the name of the forum."""

    @property
    def database_place(self) -> Path | str:
        """Return the database's file, or the URL of its server with the password."""
        return self.with_password(self.database.url) or self.mentat.database

    @property
    def database_direct(self) -> str:
        """Return the URL of the server itself if ``database_place`` is a PgBouncer in front of it, else ""."""
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
        """Return the address for outgoing mail: [smtp] from, or else the address of [mentat]."""
        return self.smtp.sender or self.mentat.address

    def is_by_hand(self, forum: str) -> bool:
        """Return whether a person carries posts to and from this forum. Then no codes link accounts with seats."""
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
    "identity": IdentitySettings,
    "retention": RetentionSettings,
    "archive": ArchiveSettings,
    "log": LogSettings,
    "monitoring": MonitoringSettings,
}
SECRETS = {f"MENTAT_{field.upper()}": field for field in Secrets.model_fields}
