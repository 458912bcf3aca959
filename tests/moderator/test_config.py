"""Settings: error messages name every fault, say how to fix it and never show a secret."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from pydantic import TypeAdapter, ValidationError

from bot import example_file
from bot.config import Settings, SettingsError, load_settings, starter_files, values
from bot.config.complaints import contradictions
from bot.config.sections import SECRETS, ClockSettings, DatabaseSettings, IdentitySettings, MailboxSettings
from bot.config.values import ArchivePolicy, policy_of, read_policy

ENV = "MENTAT_SECRET=a-secret-of-enough-length\nMENTAT_IMAP_PASSWORD=inward\nMENTAT_SMTP_PASSWORD=outward\n"
CONFIG = """
[mentat]
address = "mentat@arrakis.example"
game_master = "gm@arrakis.example"
[mailbox]
host = "imap.arrakis.example"
user = "mentat"
[smtp]
host = "smtp.arrakis.example"
"""


@pytest.fixture(autouse=True)
def _no_secrets_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SECRETS:
        monkeypatch.delenv(name, raising=False)


def load(folder: Path, config: str = CONFIG, env: str = ENV) -> Settings:
    (folder / "config.toml").write_text(config, encoding="utf-8")
    (folder / ".env").write_text(env, encoding="utf-8")
    return load_settings(folder / "config.toml")


def problems(folder: Path, config: str = CONFIG, env: str = ENV) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(folder, config, env)
    return caught.value.problems


def changed(before: str, after: str) -> str:
    assert before in CONFIG
    return CONFIG.replace(before, after)


def test_a_short_file_is_enough_and_the_rest_has_defaults(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert settings.mentat.name == "Mentat"
    assert settings.mentat.timezone == ZoneInfo("UTC")
    assert (settings.mailbox.port, settings.smtp.port) == (993, 587)
    assert settings.sender == "mentat@arrakis.example"
    assert settings.limits.max_message_bytes == 10_000_000
    assert settings.clock.reminder_hours == (6,)


def test_the_address_that_mail_is_sent_from_has_no_other_name_in_the_file(tmp_path: Path) -> None:
    for value in ('"a@b.example"', "7"):
        config = changed('host = "smtp.arrakis.example"', f'host = "smtp.arrakis.example"\nsender = {value}')
        assert [problem.partition(":")[0] for problem in problems(tmp_path, config)] == [
            "[smtp] sender is not a setting"
        ]
    assert (
        load(tmp_path, changed('host = "smtp.arrakis.example"', 'from = "a@b.example"\nhost = "s"')).sender
        == "a@b.example"
    )


def test_the_starter_files_load_as_they_are_and_have_a_secret_of_their_own(tmp_path: Path) -> None:
    files = starter_files()
    settings = load(tmp_path, files["config.toml"], files[".env"])
    assert settings.secrets.secret.get_secret_value() not in starter_files()[".env"]


def test_the_example_shows_every_setting_with_the_default_that_holds(tmp_path: Path) -> None:
    example = example_file("config.example.toml").read_text(encoding="utf-8")
    spelled_out = re.sub(r"(?m)^# (?=[a-z_]+ = )", "", example)
    assert load(tmp_path, spelled_out).model_dump(exclude={"smtp": {"sender"}}) == load(tmp_path, example).model_dump(
        exclude={"smtp": {"sender"}}
    )
    for section in Settings.model_fields.values():
        for name in getattr(section.annotation, "model_fields", {}):
            setting = "from" if name == "sender" else name
            in_env = f"MENTAT_{name.upper()}=" in example_file(".env.example").read_text(encoding="utf-8")
            assert in_env or re.search(rf"(?m)^{setting} = ", spelled_out), f"{setting} is not shown"


def test_the_ports_follow_the_security(tmp_path: Path) -> None:
    config = changed('[smtp]\nhost = "smtp', '[smtp]\nsecurity = "tls"\nhost = "smtp').replace(
        "[mailbox]", '[mailbox]\nsecurity = "starttls"'
    )
    settings = load(tmp_path, config)
    assert (settings.mailbox.port, settings.smtp.port) == (143, 465)


def test_a_mistyped_security_is_all_that_is_told(tmp_path: Path) -> None:
    config = changed('[smtp]\nhost = "smtp', '[smtp]\nsecurity = "tsl"\nhost = "smtp')
    config = config.replace("[mailbox]", '[mailbox]\nsecurity = "startls"')
    told = [sentence.partition(": ")[0] for sentence in problems(tmp_path, config)]
    assert told == ["[mailbox] security", "[smtp] security"]


def test_files_are_looked_for_beside_the_settings(tmp_path: Path) -> None:
    settings = load(tmp_path, changed("[mailbox]", 'database = "games/sietch.db"\n[mailbox]'))
    assert settings.mentat.database == tmp_path / "games/sietch.db"
    assert settings.mailbox.maildir == tmp_path / "Maildir"


def test_a_maildir_and_a_directory_need_no_server_and_no_password(tmp_path: Path) -> None:
    config = (
        CONFIG.split("[mailbox]")[0] + '[mailbox]\nkind = "maildir"\n[smtp]\nkind = "directory"\ndirectory = "/out"\n'
    )
    assert load(tmp_path, config, "MENTAT_SECRET=a-secret-of-enough-length").smtp.directory == Path("/out")


def test_a_server_is_named_without_its_password_which_comes_from_the_secrets(tmp_path: Path) -> None:
    config = changed(
        "[mailbox]", '[database]\nurl = "postgresql://mentat@db.example.org:5433/dune?sslmode=require"\n[mailbox]'
    )
    assert load(tmp_path, config).database_place == "postgresql://mentat@db.example.org:5433/dune?sslmode=require"
    settings = load(tmp_path, config, f"{ENV}\nMENTAT_DATABASE_PASSWORD='spice & sand@10'\n")
    assert (
        settings.database_place
        == "postgresql://mentat:spice%20%26%20sand%4010@db.example.org:5433/dune?sslmode=require"
    )
    assert "sand" not in repr(settings)
    for url, whole in (
        ("postgresql://db.example.org/dune", "postgresql://:arrakis@db.example.org/dune"),
        ("postgresql:///dune?host=/run/a@b", "postgresql://:arrakis@/dune?host=/run/a@b"),
    ):
        config = changed("[mailbox]", f'[database]\nurl = "{url}"\n[mailbox]')
        assert load(tmp_path, config, f"{ENV}\nMENTAT_DATABASE_PASSWORD=arrakis\n").database_place == whole


@pytest.mark.parametrize(
    "url",
    [
        "mentat.db", "sqlite:///", "sqlite:///:memory:", "sqlite://host/mentat.db", "sqlite:///m.db?mode=ro",
        "mysql://db.example.org/dune", "postgresql://db.example.org", "postgresql+psycopg2://db.example.org/dune",
        "postgresql://mentat:secret@db.example.org/dune", "postgresql://db.example.org/dune?password=secret",
        "postgresql://db.example.org:abc/dune", "postgresql://db.example.org/dune?nonsense=1",
        "postgresql://db.example.org/du%zzne", "postgresql://db.example.org/du ne",
        "postgresql://db.example.org/dune#spice", "postgresql://db.example.org:0/dune",
    ],
)  # fmt: skip
def test_what_is_no_url_of_a_server_is_refused_and_a_password_in_it_too(tmp_path: Path, url: str) -> None:
    (problem,) = problems(tmp_path, changed("[mailbox]", f'[database]\nurl = "{url}"\n[mailbox]'))
    assert problem.startswith("[database] url: ")
    assert "postgresql://mentat@db.example.org/mentat" in problem
    assert "secret" not in problem


@pytest.mark.parametrize(("url", "file"), [("sqlite:///spice.db", "spice.db"), ("sqlite:///{}/a b/m.db", "a b/m.db")])
def test_a_url_may_name_a_file_too(tmp_path: Path, url: str, file: str) -> None:
    config = changed("[mailbox]", f'[database]\nurl = "{url.format(tmp_path)}"\n[mailbox]')
    settings = load(tmp_path, config, f"{ENV}\nMENTAT_DATABASE_PASSWORD=arrakis\n")
    assert (settings.database_place, settings.mentat.database) == (tmp_path / file, tmp_path / file)
    assert settings.database.url == ""


def test_where_the_first_section_is_wrong_the_file_of_a_url_is_no_second_fault(tmp_path: Path) -> None:
    config = changed("gm@arrakis.example", "nobody").replace(
        "[mailbox]", '[database]\nurl = "sqlite:///m.db"\n[mailbox]'
    )
    (problem,) = problems(tmp_path, config)
    assert problem.startswith("[mentat] game_master: 'nobody' is not")


@pytest.mark.parametrize("address", ["", "http://dune.example.org", "https://dune.example.org/rules?of=1#top"])
def test_pages_to_read_on_are_addresses_or_none(tmp_path: Path, address: str) -> None:
    assert load(tmp_path, f'{CONFIG}[pages]\nrules = "{address}"\n').pages.rules == address


def test_a_file_has_no_direct_way(tmp_path: Path) -> None:
    url = "postgresql://mentat@db.example.org/mentat"
    config = changed("[mailbox]", f'[database]\nurl = "sqlite:///m.db"\ndirect_url = "{url}"\n[mailbox]')
    (problem,) = problems(tmp_path, config)
    assert problem.startswith("[database] direct_url")


def test_without_a_user_nobody_logs_in_to_the_smtp_server(tmp_path: Path) -> None:
    assert load(tmp_path, f'{CONFIG}user = ""\n').smtp.user == ""


def test_the_direct_way_to_a_database_has_the_same_password_and_needs_the_other(tmp_path: Path) -> None:
    urls = [f"postgresql://mentat@{host}.example.org/mentat" for host in ("pool", "db")]
    config = changed("[mailbox]", f'[database]\nurl = "{urls[0]}"\ndirect_url = "{urls[1]}"\n[mailbox]')
    settings = load(tmp_path, config, f"{ENV}\nMENTAT_DATABASE_PASSWORD=arrakis\n")
    assert settings.database_direct == "postgresql://mentat:arrakis@db.example.org/mentat"
    assert settings.database_place == "postgresql://mentat:arrakis@pool.example.org/mentat"
    (problem,) = problems(tmp_path, changed("[mailbox]", f'[database]\ndirect_url = "{urls[1]}"\n[mailbox]'))
    assert problem.startswith("[database] direct_url")


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MENTAT_IMAP_PASSWORD", "from-outside")
    assert load(tmp_path).secrets.imap_password.get_secret_value() == "from-outside"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            "[mailbox]",
            '[mailbox]\nport = "abc"',
            "[mailbox] port: 'abc' is not a number from 1 to 65535.",
        ),
        (
            "[mailbox]",
            '[mailbox]\nport = "993"',
            "[mailbox] port: '993' is not a number from 1 to 65535 (did you mean 993 without quotes?)",
        ),
        ("[mailbox]", "[mailbox]\nport = 70000", "[mailbox] port: 70000 is not a number from 1 to 65535."),
        ("[mailbox]", "[mailbox]\nport = true", "[mailbox] port: true is not a number from 1 to 65535."),
        ("[mailbox]", '[mailbox]\nidle = "no"', "[mailbox] idle: 'no' is not true or false, without quotes."),
        ("[mailbox]", "[mailbox]\nprot = 993", "[mailbox] prot is not a setting: did you mean port?"),
        (
            "[mailbox]",
            '[mailbox]\nkind = "imaps"',
            """[mailbox] kind: 'imaps' is not one of "imap", "maildir" (did you mean imap?)""",
        ),
        (
            "[mailbox]",
            '[mailbox]\nprocessed = "INBOX"',
            "[mailbox] folder, processed and shunted must be three different folders.",
        ),
        ("[smtp]", "[smpt]", "[smpt] is not a section: did you mean smtp?"),
        ("[mentat]", "name = 'M'\n[mentat]", "name is outside any section: put it below [mentat]."),
        (
            "[mentat]",
            "melange = 3\n[mentat]",
            "melange is not a setting: delete the line, or put it into the section where it belongs.",
        ),
        (
            "[smtp]",
            '[pages]\nrules = "ftp://dune.example.org/rules"\n[smtp]',
            "[pages] rules: 'ftp://dune.example.org/rules' is not an address like \"https://dune.example.org/rules\".",
        ),
        (
            "[smtp]",
            '[pages]\nhelp = "https://dune.example.org/a b"\n[smtp]',
            "[pages] help: 'https://dune.example.org/a b' is not an address like \"https://dune.example.org/rules\".",
        ),
        (
            'host = "smtp',
            'auth = "xoauth2"\nhost = "smtp',
            "[smtp] user is missing: give the name that the access token is for.",
        ),
        ("[mentat]", "smtp = 3\n[mentat]", ""),
        (
            "gm@arrakis.example",
            "the game master",
            """[mentat] game_master: 'the game master' is not one e-mail address like "mentat@arrakis.example".""",
        ),
        (
            'address = "mentat@arrakis.example"\n',
            "",
            """[mentat] address is missing: give one e-mail address like "mentat@arrakis.example".""",
        ),
        (
            "[mailbox]",
            'timezone = "Asia/Tokio"\n[mailbox]',
            "[mentat] timezone: 'Asia/Tokio' is not a time zone like \"Europe/Berlin\" (did you mean Asia/Tokyo?)",
        ),
        (
            "[smtp]",
            "[clock]\nminimum_hours = 30\n[smtp]",
            "[clock] minimum_hours: 30 is above step_hours, which is 24.",
        ),
        (
            "[smtp]",
            '[clock]\ndue_at = "25:00"\n[smtp]',
            '[clock] due_at: \'25:00\' is not a time of day like "20:00", or "" where any will do.',
        ),
        (
            "[smtp]",
            '[clock]\ntimezone = "Asia/Tokio"\n[smtp]',
            "[clock] timezone: 'Asia/Tokio' is not a time zone like \"Europe/Berlin\" (did you mean Asia/Tokyo?)",
        ),
        (
            "[smtp]",
            '[clock]\ndays_off = ["caturday"]\n[smtp]',
            "[clock] days_off: 'caturday' is not a list of days of the week like "
            '["saturday", "sunday"] (did you mean saturday?)',
        ),
        (
            "[smtp]",
            "[clock]\nstep_hours = 4\n[smtp]",
            "[clock] reminder_hours: 6 is not below step_hours, which is 4.",
        ),
        (
            "[smtp]",
            '[clock]\nreminder_hours = [6, "x", "y"]\n[smtp]',
            "[clock] reminder_hours: 'x' is not a list of hours like [6] or [24, 6], each above 0.",
        ),
        (
            "[smtp]",
            "[limits]\nmax_lines = 0\n[smtp]",
            "[limits] max_lines: 0 is not a whole number from 1 up.",
        ),
        (
            "[smtp]",
            "[clock]\ntempo = 'daily'\n[smtp]",
            "[clock] tempo is a setting of each game: delete it, and start games with `mentat game new --tempo`.",
        ),
        (
            'host = "imap.arrakis.example"\n',
            "",
            '[mailbox] host is missing: name your IMAP server, or set kind = "maildir".',
        ),
        (
            'host = "smtp.arrakis.example"\n',
            'user = "m"\n',
            '[smtp] host is missing: name your SMTP server, or set kind = "directory".',
        ),
    ],
)
def test_a_wrong_setting_is_told_in_one_sentence(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    config = changed(before, after) if sentence else "smtp = 3\n" + CONFIG.split("[smtp]")[0]
    expected = sentence or "smtp must be a section: write [smtp] on its own line and its settings below it."
    assert expected in problems(tmp_path, config)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    config = changed("[mailbox]", '[mailbox]\nport = 0\nkind = "pop3"\ncolour = "red"').replace("gm@", "gm")
    told = problems(tmp_path, config, "")
    assert [problem.split(":")[0] for problem in told] == [
        "[mentat] game_master",
        "[mailbox] kind",
        "[mailbox] port",
        "[mailbox] colour is not a setting",
        "MENTAT_SECRET is missing",
    ]


def test_a_misspelt_secret_is_noticed(tmp_path: Path) -> None:
    told = problems(tmp_path, env=ENV.replace("IMAP_PASSWORD", "IMAP_PASWORD"))
    assert f"MENTAT_IMAP_PASWORD in {tmp_path}/.env is not a setting: did you mean MENTAT_IMAP_PASSWORD?" in told
    assert f"MENTAT_IMAP_PASSWORD is missing: put the password of [mailbox] user into {tmp_path}/.env." in told


def test_access_tokens_need_no_password_but_where_they_come_from(tmp_path: Path) -> None:
    config = changed("[mailbox]", '[mailbox]\nauth = "xoauth2"')
    assert problems(tmp_path, config, ENV.replace("inward", "")) == [
        '[oauth] token_url and client_id are missing: [mailbox] auth = "xoauth2" needs both.',
        f'MENTAT_OAUTH_REFRESH_TOKEN is missing: [mailbox] auth = "xoauth2" needs it in {tmp_path}/.env.',
    ]
    oauth = '[oauth]\ntoken_url = "https://oauth2.example.org/token"\nclient_id = "mentat"\n'
    env = ENV.replace("inward", "") + "MENTAT_OAUTH_REFRESH_TOKEN=refresh\n"
    assert load(tmp_path, config + oauth, env).mailbox.auth == "xoauth2"


def test_a_token_url_that_is_not_safe_is_refused(tmp_path: Path) -> None:
    told = problems(tmp_path, CONFIG + '[oauth]\ntoken_url = "http://oauth2.example.org/token"\n')
    assert told == [
        "[oauth] token_url: 'http://oauth2.example.org/token' is not an address like "
        '"https://oauth2.example.org/token".'
    ]


def test_a_file_of_authorities_is_looked_for_beside_the_settings(tmp_path: Path) -> None:
    config = changed("[mailbox]", '[mailbox]\nca_file = "authority.pem"')
    assert problems(tmp_path, config) == [f"[mailbox] ca_file: there is no file {tmp_path}/authority.pem."]
    (tmp_path / "authority.pem").write_text("")
    assert load(tmp_path, config).mailbox.ca_file == tmp_path / "authority.pem"
    assert load(tmp_path).mailbox.ca_file is None


def test_a_password_is_asked_for_where_somebody_logs_in_to_send(tmp_path: Path) -> None:
    config = changed('host = "smtp', 'user = "mentat"\nhost = "smtp')
    told = problems(tmp_path, config, ENV.replace("outward", ""))
    assert told == [f"MENTAT_SMTP_PASSWORD is missing: put the password of [smtp] user into {tmp_path}/.env."]


def test_no_message_and_no_printed_settings_hold_a_secret(tmp_path: Path) -> None:
    misplaced = changed("[mailbox]", '[mailbox]\nport = "x"\npassword = "hush-hush"\nimap_password = "hush-hush"')
    told = "\n".join(problems(tmp_path, misplaced, "MENTAT_SECRET=hush-hush\nMENTAT_TOKEN=hush-hush\n"))
    assert "[mailbox] password: secrets do not belong in this file" in told
    assert "hush" not in told
    settings = load(tmp_path)
    shown = repr(settings) + str(settings) + settings.model_dump_json()
    assert not any(secret in shown for secret in ("a-secret-of", "inward", "outward"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[mentat\n", "is not valid TOML: "),
        (b'[mentat]\nname = "Gr\xfc\xdfe"\n', "is not UTF-8 text: save it as UTF-8."),
    ],
)
def test_a_file_that_is_not_toml_is_told(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=re.escape(f"{path} {sentence}")):
        load_settings(path)


def test_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path / "config.toml")
    assert caught.value.problems == [
        f"{tmp_path}/config.toml is missing: write one with `mentat init`, or name yours with --config FILE."
    ]


def test_a_folder_in_place_of_the_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot be read \(Is a directory\)"):
        load_settings(tmp_path)


def test_an_unreadable_env_file_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    (tmp_path / "config.toml").write_text(CONFIG, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"\.env cannot be read"):
        load_settings(tmp_path / "config.toml")


@pytest.mark.parametrize("kind", ["Port", "Seconds", "Budget", "SomeHours", "Minutes", "Percent"])
def test_a_number_may_be_what_the_words_say_and_no_more(kind: str) -> None:
    checked = TypeAdapter(getattr(values, kind))
    (expects,) = (each for each in get_args(getattr(values, kind)) if isinstance(each, values.Expects))
    least, most = map(int, re.findall(r"\d+", expects.words))
    assert [checked.validate_python(number) for number in (least, most)] == [least, most]
    for number in (least - 1, most + 1):
        with pytest.raises(ValidationError):
            checked.validate_python(number)


@pytest.mark.parametrize(
    ("running", "ended", "expected"),
    [
        ("hidden", "full", ArchivePolicy()),
        ("public", "public-only", ArchivePolicy("public", 0, "public-only")),
        ("delayed:1", "full", ArchivePolicy("delayed", 1)),
        ("delayed:15", "public-only", ArchivePolicy("delayed", 15, "public-only")),
    ],
)
def test_what_the_archive_shows_is_read_from_its_two_parts_and_written_again(
    running: str, ended: str, expected: ArchivePolicy
) -> None:
    found = read_policy(running, ended)
    assert found == expected
    assert (found.while_it_runs, found.words) == (running, f"{running} {ended}")
    assert policy_of(found.words) == found


@pytest.mark.parametrize(
    ("running", "ended", "wrong"),
    [
        ("delayed:0", "full", "'delayed:0' is not \"hidden\""),
        ("delayed:16", "full", "'delayed:16' is not \"hidden\""),
        ("delayed", "full", "'delayed' is not \"hidden\""),
        ("shown", "full", "'shown' is not \"hidden\""),
        ("public", "nothing", "'nothing' is not \"full\""),
    ],
)
def test_what_the_archive_cannot_do_is_refused(running: str, ended: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)):
        read_policy(running, ended)


def clock(**given: Any) -> dict[str, Any]:
    return {"clock": ClockSettings(**{"reminder_hours": (), **given})}


ALL_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, []),
        (clock(), []),
        (clock(step_hours=24.0, reminder_hours=(23.5, 6.0)), []),
        (
            clock(step_hours=24.0, reminder_hours=(30.0, 6.0, 24.0)),
            [
                "[clock] reminder_hours: 30 is not below step_hours, which is 24.",
                "[clock] reminder_hours: 24 is not below step_hours, which is 24.",
            ],
        ),
        (clock(step_hours=24.0, minimum_hours=24.0), []),
        (
            clock(step_hours=24.0, minimum_hours=24.5),
            ["[clock] minimum_hours: 24.5 is above step_hours, which is 24."],
        ),
        (clock(days_off=(*ALL_WEEK[:6], "monday")), []),
        (
            clock(days_off=ALL_WEEK),
            ["[clock] days_off names every day of the week: leave one on which a deadline can fall."],
        ),
        ({"identity": IdentitySettings(mode="token+sender")}, []),
        ({"identity": IdentitySettings(mode="token+sender+auth", dkim=True)}, []),
        ({"identity": IdentitySettings(mode="token+sender+auth", authserv_id="mx.example")}, []),
        (
            {"identity": IdentitySettings(mode="token+sender+auth")},
            ["[identity] mode asks for proof of senders: name your mail server with authserv_id, or set dkim = true."],
        ),
        ({"database": DatabaseSettings()}, []),
        (
            {"mailbox": MailboxSettings(processed="a", shunted="a")},
            ["[mailbox] folder, processed and shunted must be three different folders."],
        ),
        ({"mailbox": MailboxSettings(processed="a", shunted="b")}, []),
    ],
)
def test_settings_that_cannot_be_together_are_told(given: dict[str, Any], told: list[str]) -> None:
    assert list(contradictions(given)) == told


def test_a_forum_is_by_hand_where_a_person_carries_posts(tmp_path: Path) -> None:
    kinds = {name: SimpleNamespace(kind=name) for name in ("paste", "list")}
    settings = load(tmp_path).model_copy(update={"forums": kinds})
    assert [settings.is_by_hand(name) for name in ("paste", "list", "none")] == [True, False, False]


@pytest.mark.parametrize(
    ("value", "written"),
    [(True, "true"), (3, "3"), ("x" * 58, f"'{'x' * 58}'"), ("x" * 59, f"'{'x' * 56}..."), ([False], "[False]")],
)
def test_a_value_is_written_as_the_settings_would_have_it(value: object, written: str) -> None:
    assert values.as_written(value) == written


def test_a_misspelt_name_is_told_with_the_nearest_or_all_there_are() -> None:
    assert values.did_you_mean("Adress", ["name", "ADDRESS"]) == ": did you mean ADDRESS?"
    assert values.did_you_mean("qqq", ["name", "address"]) == ": there are name, address."
