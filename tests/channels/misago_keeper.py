"""Runs Misago with a PostgreSQL of its own until the process that wanted it is gone.

python misago_keeper.py FOLDER ENVIRONMENT PROCESS: writes the port and the category into FOLDER/ready.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.channels.mailman_keeper import alive, answers, free_port
from tests.channels.misago_server import postgresql

START_SECONDS = 60.0
DATABASE_PORT = 5432


def main(folder: Path, environment: Path, process: int) -> None:
    # PostgreSQL does not run as root, and whoever it runs as must be able to reach its files.
    cluster = Path(tempfile.mkdtemp(prefix="misago-"))
    cluster.chmod(0o755)
    user = "postgres" if os.getuid() == 0 else None
    data = cluster / "data"
    for made in (data, cluster / "run"):
        made.mkdir(mode=0o700 if made == data else 0o755)
        if user:
            shutil.chown(made, user, user)
    programs = postgresql()
    running: list[subprocess.Popen[bytes]] = []
    with (folder / "log").open("wb") as log:
        try:
            database = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "--no-sync"]
            subprocess.run(database, stdout=log, stderr=log, cwd=cluster, user=user, check=True)
            database = [str(programs / "postgres"), "-D", str(data), "-k", str(cluster / "run"), "-F"]
            database += ["-p", str(DATABASE_PORT), "-c", "listen_addresses="]
            running.append(subprocess.Popen(database, stdout=log, stderr=log, cwd=cluster, user=user))
            while not (cluster / "run" / f".s.PGSQL.{DATABASE_PORT}").exists():
                time.sleep(0.05)
            python = str(environment / "bin" / "python")
            known = {"PYTHONPATH": str(folder), "DJANGO_SETTINGS_MODULE": "forum_settings"}
            variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | known
            setup = [python, str(Path(__file__).with_name("misago_setup.py")), str(folder)]
            setup += [str(DATABASE_PORT), str(cluster / "run")]
            category = subprocess.run(setup, stdout=subprocess.PIPE, stderr=log, env=variables, check=True).stdout
            port = free_port()
            server = [python, "-m", "django", "runserver", "--noreload", "--insecure", f"127.0.0.1:{port}"]
            running.append(subprocess.Popen(server, stdout=log, stderr=log, cwd=folder, env=variables))
            deadline = time.monotonic() + START_SECONDS
            while not answers(port) and time.monotonic() < deadline and alive(process):
                time.sleep(0.1)
            (folder / ".ready").write_text(f"{port} {category.decode().split()[-1]}")
            (folder / ".ready").rename(folder / "ready")
            while alive(process) and all(program.poll() is None for program in running):
                time.sleep(0.3)
        finally:
            if not (folder / "ready").exists():
                (folder / "failed").touch()
            for program in reversed(running):
                program.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    program.wait(10)
                program.kill()
            shutil.rmtree(cluster, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
