"""A real Misago for tests, one for a whole session.

It lives in an environment of its own, which `tests/channels/install_servers misago` makes, and needs PostgreSQL on the
machine; MENTAT_MISAGO names another place. Redis is not needed: its tasks are done at once. Without either, tests skip
and say so.
"""

import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from tests.channels.keepers import environment, started

PASSWORD = "a password"


def postgresql() -> Path:
    """Where the programs of PostgreSQL are."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else Path("/nowhere")


def why_not_here() -> str:
    """Why there can be no Misago here; empty if there can."""
    if not (environment("misago") / "bin" / "django-admin").exists():
        return "no Misago here: tests/channels/install_servers misago"
    return "" if (postgresql() / "initdb").exists() else "no PostgreSQL here for Misago"


class Member:
    """Somebody who uses the forum as its pages do."""

    def __init__(self, address: str, name: str) -> None:
        self._client = httpx.Client(base_url=address, verify=False, timeout=30)
        self._client.cookies.set("csrftoken", uuid4().hex, domain="127.0.0.1")
        self.name = name

    def ask(self, method: str, path: str, body: object = None) -> Any:
        tokens = [cookie.value for cookie in self._client.cookies.jar if cookie.name == "csrftoken"]
        answer = self._client.request(method, path, json=body, headers={"X-CSRFToken": tokens[0] or ""})
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def sign_in(self) -> str:
        """Returns the number of the account."""
        self.ask("POST", "/api/auth/", {"username": self.name, "password": PASSWORD})
        return str(self.ask("GET", "/api/auth/")["id"])


class MisagoServer:
    """The forum and its people."""

    def __init__(self, folder: Path) -> None:
        port, category = started("misago", folder).split()
        self.address = f"http://127.0.0.1:{port}"
        self.category = int(category)
        self.moderator = Member(self.address, "admin")
        self.moderator.sign_in()

    def join(self) -> tuple[str, Member]:
        """A new account."""
        name = f"m{uuid4().hex[:10]}"
        account = {"username": name, "email": f"{name}@example.org", "password": PASSWORD}
        Member(self.address, name).ask("POST", "/api/users/", account)
        member = Member(self.address, name)
        return member.sign_in(), member
