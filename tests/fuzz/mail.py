"""Fuzz the code that handles mail: `python tests/fuzz/mail.py --minutes 60` (needs the group `fuzz`).

Guided by coverage, libFuzzer explores `bot.mail` and the standard parser below it, starting from the corpus in
tests/mail. It runs the code of `mentat mail parse`, and then all other code that a stranger's bytes reach: tokens,
Authentication-Results and DKIM fields (without DNS answers), and the bounce reader, even for mails that do not look
like bounces. It reports an exception, a line that contains a NUL, and a message that takes more than two seconds of CPU
time or 200 MB of memory. Such a message is written to the folder of findings; it should become a test.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SEEDS = REPOSITORY / "tests" / "mail" / "corpus"
MAX_SECONDS = 2.0
MAX_GROWTH_MB = 200
MAX_BYTES = 100_000
ADDRESS = "mentat@arrakis.example"
STATUS = Path("/proc/self/status")
PEAK_RESET = Path("/proc/self/clear_refs")
DICTIONARY = Path(__file__).with_name("mail.dict")


def main() -> None:
    """Fuzz for this many minutes. The exit status is not 0 after a finding."""
    arguments = argparse.ArgumentParser(description="Fuzz the reading of mail.")
    arguments.add_argument("--minutes", type=float, default=60.0)
    arguments.add_argument("--findings", type=Path, default=Path(tempfile.gettempdir()) / "mentat-fuzz")
    chosen = arguments.parse_args()
    chosen.findings.mkdir(parents=True, exist_ok=True)
    evolved = chosen.findings / "evolved"
    evolved.mkdir(exist_ok=True)
    sys.path.insert(0, str(REPOSITORY))

    import atheris

    with atheris.instrument_imports(include=["bot.mail", "email", "mailparser_reply", "dkim", "flufl"]):
        from bot.mail import identity
        from bot.mail.authentication import unproved_because
        from bot.mail.disposition import examine, read_bounce, returned_tokens

    def one(raw: bytes) -> None:
        before = _memory_before()
        began = time.process_time()
        seen = examine(raw, ADDRESS, _sent_form)
        if seen.incoming is not None:
            identity.find_tokens(seen.incoming, ADDRESS)
            identity.find_bounced_tokens(seen.incoming, ADDRESS)
            identity.find_leaving_tokens(seen.incoming, ADDRESS)
            unproved_because(seen.incoming, raw, "mx.arrakis.example", lambda name: None)
            read_bounce(raw, seen.incoming, ADDRESS)
            returned_tokens(raw, ADDRESS)
        taken = time.process_time() - began
        if taken > MAX_SECONDS:
            raise RuntimeError(f"{taken:.1f} seconds for {len(raw)} bytes")
        grown = _megabytes("VmHWM") - before
        if grown > MAX_GROWTH_MB:
            raise RuntimeError(f"{grown:.0f} MB of memory for {len(raw)} bytes")
        if any("\0" in line or not line.strip() for section in seen.reading.sections for line in section.lines):
            raise RuntimeError("a line that is none")

    options = [
        sys.argv[0], f"-max_total_time={int(chosen.minutes * 60)}", f"-max_len={MAX_BYTES}", "-timeout=60",
        "-rss_limit_mb=2000", f"-dict={DICTIONARY}", f"-artifact_prefix={chosen.findings}/", "-print_final_stats=1",
        "-verbosity=1", str(evolved), str(SEEDS),
    ]  # fmt: skip
    atheris.Setup(options, one)
    atheris.Fuzz()


def _memory_before() -> float:
    """Return the memory in use, in MB, and reset the peak (proc(5), clear_refs)."""
    PEAK_RESET.write_text("5")
    return _megabytes("VmRSS")


def _megabytes(field: str) -> float:
    found = re.search(rf"^{field}:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError(f"{STATUS} does not tell {field}; memory is watched on Linux only")
    return int(found.group(1)) / 1024


def _sent_form(code: str) -> list[str] | None:
    return ["ship _ to Habbanya Ridge Sietch", "[ ] no move"] if code == "7qk2m9xa" else None


if __name__ == "__main__":
    main()
