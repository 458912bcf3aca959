"""A program that runs Mailman, and the mail server to which it delivers, until the given process ends.

python mailman_keeper.py FOLDER ENVIRONMENT PROCESS: once mail is accepted, it writes its ports into FOLDER/ready. Each
mail that a list delivers becomes a file in FOLDER/out/LIST, named by its time of arrival.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

START_SECONDS = 90.0

CONFIGURATION = """\
[mailman]
layout: here
site_owner: owner@lists.example
[paths.here]
var_dir: {folder}/var
[database]
url: sqlite:///{folder}/mailman.db
[mta]
incoming: mailman.mta.null.NullMTA
outgoing: mailman.mta.deliver.deliver
lmtp_host: 127.0.0.1
lmtp_port: {lmtp}
smtp_host: 127.0.0.1
smtp_port: {smtp}
configuration: python:mailman.config.null
[webservice]
hostname: 127.0.0.1
port: {rest}
admin_user: restadmin
admin_pass: restpass
workers: 1
{resting}
[runner.in]
sleep_time: 0.05s
[runner.pipeline]
sleep_time: 0.05s
[runner.out]
sleep_time: 0.05s
[runner.retry]
sleep_time: 0.5s
"""
RESTING = ("archive", "bounces", "digest", "nntp", "task", "virgin")


class Sink:
    """The recipient of all list mail. It looks only at the first envelope address, because one copy serves all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = 0

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        found = re.match(r"([\w-]+)-bounces@", envelope.mail_from or "")
        where = self.folder / (found[1] if found else "other")
        where.mkdir(parents=True, exist_ok=True)
        self.number += 1
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        name = f"{self.number:06}-{time.time():.6f}"
        (where / f".{name}").write_bytes(content)
        (where / f".{name}").rename(where / name)
        return "250 taken"


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def main(folder: Path, environment: Path, process: int) -> None:
    lmtp, rest, smtp = free_port(), free_port(), free_port()
    resting = "\n".join(f"[runner.{name}]\nstart: no" for name in RESTING)
    configuration = folder / "mailman.cfg"
    configuration.write_text(CONFIGURATION.format(folder=folder, lmtp=lmtp, rest=rest, smtp=smtp, resting=resting))
    sink = Controller(Sink(folder / "out"), hostname="127.0.0.1", port=smtp)
    sink.start()
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with (folder / "log").open("wb") as log:
        # Mailman refuses to run as root unless forced. All its runners are in its own process group and end with it.
        mailman = subprocess.Popen(
            [str(environment / "bin" / "master"), "-C", str(configuration), "--force"],
            stdout=log,
            stderr=log,
            cwd=folder,
            env=variables,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not (answers(lmtp) and answers(rest)):
            if mailman.poll() is not None or time.monotonic() > deadline or not alive(process):
                (folder / "failed").touch()
                return
            time.sleep(0.1)
        (folder / ".ready").write_text(f"{lmtp} {rest}")
        (folder / ".ready").rename(folder / "ready")
        while alive(process) and mailman.poll() is None:
            time.sleep(0.3)
    finally:
        if mailman.poll() is None:
            mailman.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                mailman.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(mailman.pid, signal.SIGKILL)
        sink.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
