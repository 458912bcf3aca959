"""Access tokens instead of a password (OAuth 2), for providers that take no passwords from programs.

A refresh token, which the game master got once from the provider, is exchanged for access tokens that hold for an hour
or so (RFC 6749 section 6); IMAP and SMTP are logged in to with XOAUTH2. What was fetched is kept in a file that only
its owner may read, since every command is a process of its own, and since a provider may replace the refresh token with
each use: the old one is then worthless, and only that file knows the new one. It is replaced whole and under a lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_EARLY = 60.0
"""Seconds before its end at which an access token is not used any more."""
_WITHOUT_EXPIRY = 300.0
"""How long a token is kept whose end the provider does not tell, in seconds."""
_MOST_BYTES = 100_000
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class TokenUnavailable(Exception):
    """There is no access token. One sentence without a full stop: why, and what to do. Never a secret."""


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """Where access tokens come from, and by which right. `client_secret` is empty for clients that have none."""

    url: str
    client_id: str
    refresh_token: str = field(repr=False)
    client_secret: str = field(default="", repr=False)
    scope: str = ""
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is in the file. `origin` is the digest of the refresh token of the settings: with another one the file
    is forgotten."""

    origin: str
    refresh_token: str
    access_token: str = ""
    until: float = 0.0


class AccessTokens:
    """The access tokens of one account. Several processes may use the same file."""

    def __init__(self, endpoint: TokenEndpoint, file: Path, clock: Callable[[], float] = time.time) -> None:
        self._endpoint = endpoint
        self._file = file
        self._clock = clock

    def token(self) -> str:
        """An access token that holds now. TokenUnavailable if there is none to be had."""
        with self._alone():
            kept = self._read()
            if not kept.access_token or self._clock() >= kept.until - _EARLY:
                kept = self._refreshed(kept)
                self._write(kept)
            return kept.access_token

    def forget(self, token: str) -> None:
        """A server does not take this token: let the next one be fetched anew."""
        with self._alone():
            kept = self._read()
            if kept.access_token == token:
                self._write(_Kept(kept.origin, kept.refresh_token))

    def _refreshed(self, kept: _Kept) -> _Kept:
        endpoint = self._endpoint
        form = {"grant_type": "refresh_token", "refresh_token": kept.refresh_token, "client_id": endpoint.client_id}
        if endpoint.client_secret:
            form["client_secret"] = endpoint.client_secret
        if endpoint.scope:
            form["scope"] = endpoint.scope
        answer = self._ask(form)
        access = answer.get("access_token")
        if not isinstance(access, str) or not access.isascii() or not access.isprintable() or not access:
            raise TokenUnavailable(f"{endpoint.url} answers without an access token: check [oauth] token_url")
        replaced = answer.get("refresh_token")
        try:
            holds = float(answer.get("expires_in", _WITHOUT_EXPIRY))
        except (TypeError, ValueError):
            holds = _WITHOUT_EXPIRY
        return _Kept(
            kept.origin,
            replaced if isinstance(replaced, str) and replaced else kept.refresh_token,
            access,
            self._clock() + max(holds, 2 * _EARLY),
        )

    def _ask(self, form: dict[str, str]) -> dict[str, Any]:
        url = self._endpoint.url
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise TokenUnavailable(f"{url} is not safe for secrets: [oauth] token_url must begin with https://")
        request = urllib.request.Request(
            url, urllib.parse.urlencode(form).encode("ascii"), {"Accept": "application/json"}, method="POST"
        )
        try:
            with _opener().open(request, timeout=self._endpoint.timeout) as response:
                answer = json.loads(response.read(_MOST_BYTES))
        except urllib.error.HTTPError as error:
            raise TokenUnavailable(self._refusal(error)) from None
        except (OSError, http.client.HTTPException) as error:
            cause = getattr(error, "reason", error)
            named = getattr(cause, "strerror", None) or getattr(cause, "verify_message", None) or type(cause).__name__
            why = cause if isinstance(cause, str) else named
            raise TokenUnavailable(
                f"{url} cannot be reached ({why}): check [oauth] token_url and the network"
            ) from None
        except ValueError:
            raise TokenUnavailable(f"{url} answers with something else than JSON: check [oauth] token_url") from None
        return answer if isinstance(answer, dict) else {}

    def _refusal(self, refused: urllib.error.HTTPError) -> str:
        """RFC 6749 section 5.2 in words."""
        code, said = "", ""
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            answer = json.loads(refused.read(_MOST_BYTES))
            code, said = str(answer.get("error", "")), str(answer.get("error_description", ""))
        advice = {
            "invalid_grant": "its consent has ended: get a new refresh token from the provider and put it into "
            "MENTAT_OAUTH_REFRESH_TOKEN",
            "invalid_client": "check [oauth] client_id and MENTAT_OAUTH_CLIENT_SECRET",
            "unauthorized_client": "check [oauth] client_id, and that the provider lets it use refresh tokens",
            "invalid_scope": "check [oauth] scope",
        }.get(code, "check [oauth]" if 300 <= refused.code < 500 else "the provider has trouble; it is tried again")
        words = " ".join(_plain(part) for part in (code or f"HTTP {refused.code}", said) if part)
        return f"{self._endpoint.url} gives no access token ({words}): {advice}"

    def _read(self) -> _Kept:
        """What is kept, if it was fetched with the refresh token of the settings."""
        own = self._endpoint.refresh_token
        origin = hashlib.sha256(own.encode()).hexdigest()
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
            kept = _Kept(found["origin"], found["refresh_token"], found["access_token"], float(found["until"]))
        except (OSError, ValueError, KeyError, TypeError):
            return _Kept(origin, own)
        return kept if kept.origin == origin and kept.refresh_token else _Kept(origin, own)

    def _write(self, kept: _Kept) -> None:
        document = {"origin": kept.origin, "refresh_token": kept.refresh_token,
                    "access_token": kept.access_token, "until": kept.until}  # fmt: skip
        part = self._file.with_name(self._file.name + ".part")
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(document, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self._file)
        except OSError as error:
            raise self._unwritable(error) from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else uses the file while the block runs."""
        try:
            lock = self._file.with_name(self._file.name + ".lock").open("a")
        except OSError as error:
            raise self._unwritable(error) from None
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _unwritable(self, error: OSError) -> TokenUnavailable:
        return TokenUnavailable(f"access tokens cannot be kept in {self._file} ({error.strerror}): check its folder")


class XOAuth2:
    """One login with an access token: what is sent, and what the server said when it did not like it.

    The first challenge is answered with user and token. A second one is the server's complaint, in JSON, and must be
    answered with nothing before the server says no.
    """

    def __init__(self, user: str, token: str) -> None:
        self._first = f"user={user}\1auth=Bearer {token}\1\1"
        self._asked = False
        self.complaint = ""

    def respond(self, challenge: bytes) -> str:
        """The answer to a challenge (decoded from base64)."""
        if not self._asked:
            self._asked = True
            return self._first
        self.complaint = _complaint(challenge)
        return ""


def _complaint(challenge: bytes) -> str:
    with contextlib.suppress(ValueError, TypeError):
        said = json.loads(challenge)
        return _plain(" ".join(str(said[key]) for key in ("status", "error_description", "scope") if key in said))
    return ""


def _plain(text: str) -> str:
    """A few words of a stranger on one line."""
    return " ".join(text.encode("ascii", "replace").decode("ascii").split())[:160]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The secrets go where the settings say, and nowhere else."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirects)
