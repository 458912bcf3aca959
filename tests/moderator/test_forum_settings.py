"""Forum settings: each kind of forum requires its own settings only, and no API key is ever shown."""

import os
import re
from pathlib import Path

import pytest

from bot import example_file
from bot.config import ForumSettings, Settings, SettingsError, load_settings
from tests.moderator.test_config import CONFIG, ENV

DISCOURSE = """
[forums.arrakis]
kind = "discourse"
url = "https://forum.arrakis.example/"
category = 7
username = "mentat"
"""
LIST = '[forums.dune-list]\nkind = "list"\naddress = "dune@lists.arrakis.example"\n'
PASTE = '[forums.by-hand]\nkind = "paste"\ndialect = "bgg"\n'
KEY = "MENTAT_FORUM_ARRAKIS_KEY=spice-must-flow\n"


@pytest.fixture(autouse=True)
def _no_secrets_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("MENTAT_"):
            monkeypatch.delenv(name)


def load(folder: Path, forums: str, env: str = "", config: str = CONFIG) -> Settings:
    (folder / "config.toml").write_text(config + forums, encoding="utf-8")
    (folder / ".env").write_text(ENV + env, encoding="utf-8")
    return load_settings(folder / "config.toml")


def problems(folder: Path, forums: str, env: str = "", config: str = CONFIG) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(folder, forums, env, config)
    return caught.value.problems


def test_several_forums_of_each_kind_have_their_names_and_their_defaults(tmp_path: Path) -> None:
    another = DISCOURSE.replace("arrakis]", "tabr-2]").replace("7", "8")
    settings = load(tmp_path, DISCOURSE + LIST + PASTE + another, KEY + "MENTAT_FORUM_TABR_2_KEY=water\n")
    assert list(settings.forums) == ["arrakis", "dune-list", "by-hand", "tabr-2"]
    discourse = settings.forums["arrakis"]
    assert (discourse.url, discourse.category, discourse.username) == ("https://forum.arrakis.example", 7, "mentat")
    assert (discourse.posts, discourse.poll_seconds, discourse.pictures, discourse.characters) == (
        "changes", 60, True, 0,
    )  # fmt: skip
    assert (discourse.seconds_between_posts, discourse.posts_in_a_row) == (None, None)
    assert settings.forums["by-hand"].posts == "phases"
    assert settings.forum_keys["tabr-2"].get_secret_value() == "water"
    assert load(tmp_path, "").forums == {}


def test_the_example_shows_every_setting_of_a_forum_and_loads_when_it_is_spelled_out(tmp_path: Path) -> None:
    example = example_file("config.example.toml").read_text(encoding="utf-8")
    assert not load(tmp_path, "", config=example).forums
    spelled_out = re.sub(r"(?m)^#(?=[a-z_]+ = |\[forums\.)", "", example)
    env = example_file(".env.example").read_text(encoding="utf-8")
    names = re.findall(r"MENTAT_FORUM_[A-Z_]+_KEY", example)
    assert names[0] in env
    settings = load(tmp_path, "", "".join(f"{name}=key\n" for name in names), spelled_out)
    assert {forum.kind for forum in settings.forums.values()} == {"discourse", "list", "paste"}
    shown = set().union(*(forum.model_fields_set for forum in settings.forums.values()))
    assert shown == set(ForumSettings.model_fields)
    as_it_is = load(tmp_path, DISCOURSE, KEY).forums["arrakis"]
    fields = ("posts", "poll_seconds", "pictures", "characters")
    assert [getattr(settings.forums["arrakis"], each) for each in fields] == [
        getattr(as_it_is, each) for each in fields
    ]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("[forums.arrakis]", "[forums.Arrakis_1]",
         "[forums.Arrakis_1] cannot be the name of a forum: use up to 40 lowercase letters, digits and hyphens, like "
         "[forums.arrakis-list]."),
        ("[forums.arrakis]", "[forum.arrakis]", "[forum] is not a section: did you mean forums?"),
        ("[forums.arrakis]", "[forums]",
         "[forums] kind: each forum needs its own section, like [forums.arrakis]: add one."),
        ("discourse", "discurse",
         """[forums.arrakis] kind: 'discurse' is not one of "discourse", "list", "paste" """
         "(did you mean discourse?)"),
        ('kind = "discourse"\n', "",
         '[forums.arrakis] kind is missing: give one of "discourse", "list", "paste".'),
        ("username", "user_name", "[forums.arrakis] user_name is not a setting: did you mean username?"),
        ("username", 'api_key = "hush"\nusername',
         "[forums.arrakis] api_key: secrets do not belong in this file: delete the line and put "
         "MENTAT_FORUM_ARRAKIS_KEY into .env."),
        ("https:", "http:",
         "[forums.arrakis] url: 'http://forum.arrakis.example/' is not the address of the forum, like "
         '"https://forum.arrakis.example".'),
        ('url = "https://forum.arrakis.example/"\n', "",
         '[forums.arrakis] url is missing: give its address, like "https://forum.arrakis.example".'),
        ("category = 7\n", "",
         "[forums.arrakis] category is missing: give the number of the category for games, as its address has it."),
        ("category = 7", 'category = "7"',
         "[forums.arrakis] category: '7' is not the number of a category, as its address has it (did you mean 7 "
         "without quotes?)"),
        ('username = "mentat"\n', "",
         "[forums.arrakis] username is missing: give the name of Mentat's account there."),
        ("category = 7", 'category = 7\naddress = "dune@lists.example"',
         '[forums.arrakis] address is for kind = "list", not for "discourse": delete the line.'),
        ("category = 7", 'category = 7\ndialect = "bbcod"',
         """[forums.arrakis] dialect: 'bbcod' is not one of "bbcode", "bgg", "markdown", "text" """
         "(did you mean bbcode?)"),
        ("category = 7", "category = 7\ncharacters = 10",
         "[forums.arrakis] characters: 10 is not a number from 1000 to 1000000, or 0 for as many as such a forum "
         "allows."),
        ("category = 7", "category = 7\nposts_in_a_row = -1",
         "[forums.arrakis] posts_in_a_row: -1 is not a number from 1 to 1000, or 0 where there is no limit."),
        ("category = 7", 'category = 7\nseconds_between_posts = "none"',
         "[forums.arrakis] seconds_between_posts: 'none' is not a number of seconds from 0 to 86400."),
    ],
)  # fmt: skip
def test_a_wrong_setting_of_a_forum_is_told_in_one_sentence(
    tmp_path: Path, before: str, after: str, sentence: str
) -> None:
    assert before in DISCOURSE
    told = problems(tmp_path, DISCOURSE.replace(before, after, 1), KEY)
    assert sentence in told
    assert "hush" not in "".join(told)


def test_a_mistyped_kind_is_all_that_is_told(tmp_path: Path) -> None:
    told = problems(tmp_path, DISCOURSE.replace("discourse", "discurse", 1), KEY)
    assert [sentence.partition(": ")[0] for sentence in told] == ["[forums.arrakis] kind"]


def test_a_misago_forum_is_refused_by_name(tmp_path: Path) -> None:
    (told,) = problems(tmp_path, DISCOURSE.replace("discourse", "misago", 1), KEY)
    assert told.startswith("[forums.arrakis] kind: Mentat cannot write in a Misago forum: post there by hand")


def test_every_kind_names_all_that_it_misses(tmp_path: Path) -> None:
    kinds = "".join(f'[forums.{kind}]\nkind = "{kind}"\n' for kind in ("discourse", "list", "paste"))
    told = problems(tmp_path, kinds)
    missing = [sentence.partition(" is missing")[0] for sentence in told]
    assert missing == [
        "[forums.discourse] url", "[forums.discourse] category", "[forums.discourse] username",
        "MENTAT_FORUM_DISCOURSE_KEY",
        "[forums.list] address", "[forums.paste] dialect",
    ]  # fmt: skip


def test_a_forum_on_this_machine_needs_no_tls(tmp_path: Path) -> None:
    for host in ("localhost:8000", "127.0.0.1:8000", "[::1]:8000"):
        here = DISCOURSE.replace("https://forum.arrakis.example/", f"http://{host}")
        assert load(tmp_path, here, KEY).forums["arrakis"].url == f"http://{host}"


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "https://me:it@a.example",
        "https://a.example?x=1",
        "https://a.example:99999",
        "https://a.example#x",
        "https://a.example:0",
    ],
)
def test_an_address_to_which_no_key_can_go_is_refused(tmp_path: Path, url: str) -> None:
    (told,) = problems(tmp_path, DISCOURSE.replace("https://forum.arrakis.example/", url), KEY)
    assert told.startswith("[forums.arrakis] url: ")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("MENTAT_FORUM_ARAKIS_KEY=x", "is not a setting: did you mean MENTAT_FORUM_ARRAKIS_KEY?"),
        ("MENTAT_FORUM_ARRAKIS_KEYS=x", "is not a setting: did you mean MENTAT_FORUM_ARRAKIS_KEY?"),
        ("MENTAT_FORUM_BY_HAND_KEY=x", "[forums.by-hand] is of a kind that needs no key: delete the line."),
    ],
)
def test_a_misspelt_key_of_a_forum_is_noticed(tmp_path: Path, line: str, sentence: str) -> None:
    (told,) = problems(tmp_path, DISCOURSE + PASTE, KEY + line + "\n")
    assert told.startswith(line.partition("=")[0])
    assert told.endswith(sentence)


def test_a_key_without_any_forum_is_noticed(tmp_path: Path) -> None:
    assert problems(tmp_path, "", KEY) == [
        f"MENTAT_FORUM_ARRAKIS_KEY in {tmp_path}/.env belongs to no forum: delete the line, or write a section "
        "[forums.NAME] for it."
    ]


def test_the_key_of_a_forum_that_cannot_be_read_is_not_called_strange(tmp_path: Path) -> None:
    (told,) = problems(tmp_path, DISCOURSE.replace("category = 7", "category = 0"), KEY)
    assert "category" in told


def test_the_key_of_a_forum_may_come_from_the_environment_and_is_never_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", "spice-must-flow")
    settings = load(tmp_path, DISCOURSE)
    assert settings.forum_keys["arrakis"].get_secret_value() == "spice-must-flow"
    assert "spice" not in repr(settings) + str(settings) + settings.model_dump_json()


def test_two_forums_are_two_places(tmp_path: Path) -> None:
    assert problems(tmp_path, LIST + LIST.replace("dune-list", "again").replace("dune@", "Dune@")) == [
        "[forums.again] is the same place as [forums.dune-list]: delete one of them."
    ]
    assert len(load(tmp_path, PASTE + PASTE.replace("by-hand", "another")).forums) == 2


def test_a_list_needs_an_address_that_others_do_not_know_or_proof(tmp_path: Path) -> None:
    plain = CONFIG.replace("[mailbox]", "plus_addressing = false\n[mailbox]")
    (told,) = problems(tmp_path, LIST, config=plain)
    assert "a list needs plus_addressing in [mentat], or authserv_id in [identity]" in told
    assert load(tmp_path, LIST + '[identity]\nauthserv_id = "mx.arrakis.example"\n', config=plain).forums


def test_what_is_no_section_of_a_forum_is_told(tmp_path: Path) -> None:
    assert problems(tmp_path, "", config="forums = 3\n" + CONFIG) == [
        "forums must be sections: write [forums.NAME] on its own line and its settings below it."
    ]
