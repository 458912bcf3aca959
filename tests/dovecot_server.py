"""A private Dovecot for tests, with real IMAP and LMTP on loopback. It runs as the user who runs the tests.

Written for Dovecot 2.3 (2.4 has another configuration language). If it is missing, `why_not_here()` says so, and tests
are skipped with that sentence. One server serves a whole test session, and each test uses a fresh user.
"""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import shutil
import signal
import smtplib
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

_START_SECONDS = 20.0

_CONFIGURATION = """\
base_dir = {run}/run
state_dir = {run}/state
instance_name = mentat-test
log_path = {run}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
mail_location = maildir:{run}/mail/%u
mailbox_idle_check_interval = 1 secs
recipient_delimiter = +
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {run}/users/%u
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={run}/mail/%u allow_all_users=yes
}}
namespace inbox {{
  inbox = yes
  separator = {separator}
  prefix = {prefix}
}}
service imap-login {{
  chroot =
  service_count = 0
  process_min_avail = 1
  inet_listener imap {{
    port = {imap_port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    port = {lmtp_port}
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
protocol lmtp {{
  postmaster_address = postmaster@example.org
}}
{more}
"""


def why_not_here() -> str:
    """Return why no Dovecot can be started on this machine, or "" if one can."""
    binary = shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin:/usr/local/sbin")
    if binary is None:
        return "no Dovecot here (apt-get install dovecot-imapd dovecot-lmtpd)"
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    if not version.startswith("2.3"):
        return f"Dovecot {version} is here; these tests configure 2.3"
    if not any(Path(place, "dovecot/lmtp").exists() for place in ("/usr/lib", "/usr/libexec", "/usr/local/libexec")):
        return "Dovecot has no LMTP here (apt-get install dovecot-lmtpd)"
    return ""


class Dovecot:
    """A server that runs for the duration of a `with` block. Users can be added while it runs.

    `prefix` comes before the names of all folders except the inbox. `more` is added at the end of the configuration, so
    it overrides earlier settings; `@RUN@` in it stands for the server's directory.
    """

    host = "127.0.0.1"

    def __init__(
        self, users: Mapping[str, str] | None = None, separator: str = "/", prefix: str = "", more: str = ""
    ) -> None:
        self._users = dict(users or {})
        self._separator = separator
        self._prefix = prefix
        self._more = more
        # A Unix socket path can have only about 107 bytes, so it must not be below a test's own long directory.
        self.directory = Path(tempfile.mkdtemp(prefix="dovecot-"))
        self.imap_port = _free_port()
        self.lmtp_port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._output: IO[bytes] | None = None

    def start(self) -> None:
        """Write the configuration, start the server and wait until it responds."""
        owner = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        for name in ("run", "state", "mail", "users"):
            (self.directory / name).mkdir()
        self.directory.chmod(0o755)
        if os.getuid() == 0:
            os.chown(self.directory / "mail", owner.pw_uid, owner.pw_gid)
        (self.directory / "dovecot.conf").write_text(
            _CONFIGURATION.format(
                run=self.directory,
                user=owner.pw_name,
                group=grp.getgrgid(owner.pw_gid).gr_name,
                uid=owner.pw_uid,
                gid=owner.pw_gid,
                separator=self._separator,
                prefix=self._prefix,
                more=self._more.replace("@RUN@", str(self.directory)),
                imap_port=self.imap_port,
                lmtp_port=self.lmtp_port,
            )
        )
        for address, password in self._users.items():
            self.add_user(address, password)
        binary = shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin:/usr/local/sbin") or "dovecot"
        self._output = (self.directory / "output").open("wb")
        self._process = subprocess.Popen(
            [binary, "-F", "-c", str(self.directory / "dovecot.conf")],
            stdout=self._output,
            stderr=self._output,
            start_new_session=True,
        )
        self._await_greeting()

    def kill(self) -> None:
        """Kill the server and all its connections at once, because an orderly stop takes more than a second."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def stop(self) -> None:
        """Stop the server and remove all its files."""
        self.kill()
        if self._output is not None:
            self._output.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Dovecot:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def add_user(self, address: str, password: str) -> None:
        """Add a mailbox, which can be used at once."""
        # Each user has a file, because Dovecot notices changes only by the modification time in whole seconds.
        (self.directory / "users" / address).write_text(f"{address}:{{PLAIN}}{password}\n")

    def deliver(self, address: str, raw: bytes, envelope_from: str = "someone@example.org") -> None:
        """Deliver a message by LMTP. When this returns, the message is in the inbox."""
        with smtplib.LMTP(self.host, self.lmtp_port) as lmtp:
            lmtp.sendmail(envelope_from, [address], raw)

    def log(self) -> str:
        """Return the server's log so far."""
        with contextlib.suppress(FileNotFoundError):
            return (self.directory / "dovecot.log").read_text("utf-8", "replace")
        return ""

    def _await_greeting(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection((self.host, self.imap_port), 1) as connection:
                connection.settimeout(5)
                if b"OK" in connection.recv(200):
                    return
            if self._process is not None and self._process.poll() is not None:
                break
            time.sleep(0.02)
        output = (self.directory / "output").read_text("utf-8", "replace")
        raise RuntimeError(f"Dovecot did not start: {output} {self.log()}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
