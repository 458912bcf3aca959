"""Fuzzing of what `mentat mail parse` does: `python tests/fuzz/mail.py --minutes 60` (needs the group `fuzz`).

Coverage leads libFuzzer through `bot.mail` and the standard parser below it, beginning with the corpus of tests/mail.
An exception, a line with a NUL in it, or more than two seconds of this process's own time for one message is a
finding: the message is written to the folder of findings, and is best made into a test.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SEEDS = REPOSITORY / "tests" / "mail" / "corpus"
MAX_SECONDS = 2.0
MAX_BYTES = 100_000
WORDS = """From: |Content-Type: |multipart/mixed; boundary=b|--b|--b--|text/html|message/rfc822|charset=|utf-7|base64
iso-2022-jp|quoted-printable|x-uuencode|=?utf-8?b?|?=|format=flowed|delsp=yes|application/pkcs7-mime|attachment
application/ms-tnef|text/calendar|filename=a.txt|<blockquote>|<div class=gmail_quote>|</div>|> |-- |[form 7qk2m9xa]
[end of form 7qk2m9xa]|[#aaaaaaaaaaaaaaaa]|-----BEGIN PGP SIGNED MESSAGE-----|Reply above this line|wrote:|schrieb
Sent from my """.replace("\n", "|").split("|")


def main() -> None:
    """Fuzz for so many minutes; the exit status is not 0 after a finding."""
    arguments = argparse.ArgumentParser(description="Fuzz the reading of mail.")
    arguments.add_argument("--minutes", type=float, default=60.0)
    arguments.add_argument("--findings", type=Path, default=Path(tempfile.gettempdir()) / "mentat-fuzz")
    chosen = arguments.parse_args()
    chosen.findings.mkdir(parents=True, exist_ok=True)
    dictionary = chosen.findings / "words.dict"
    dictionary.write_text("".join(f'"{word}"\n' for word in WORDS), encoding="ascii")
    evolved = chosen.findings / "evolved"
    evolved.mkdir(exist_ok=True)
    sys.path.insert(0, str(REPOSITORY))

    import atheris

    with atheris.instrument_imports(include=["bot.mail", "email", "mailparser_reply", "asn1crypto"]):
        from bot.mail.disposition import examine

    def one(raw: bytes) -> None:
        began = time.process_time()
        seen = examine(raw, "mentat@arrakis.example", _sent_form)
        taken = time.process_time() - began
        if taken > MAX_SECONDS:
            raise RuntimeError(f"{taken:.1f} seconds for {len(raw)} bytes")
        if any("\0" in line or not line.strip() for line in seen.reading.lines):
            raise RuntimeError("a line that is none")

    options = [
        sys.argv[0], f"-max_total_time={int(chosen.minutes * 60)}", f"-max_len={MAX_BYTES}", "-timeout=60",
        "-rss_limit_mb=1000", f"-dict={dictionary}", f"-artifact_prefix={chosen.findings}/", "-print_final_stats=1",
        "-verbosity=1", str(evolved), str(SEEDS),
    ]  # fmt: skip
    atheris.Setup(options, one)
    atheris.Fuzz()


def _sent_form(code: str) -> list[str] | None:
    return ["ship _ to Habbanya Ridge Sietch", "[ ] no move"] if code == "7qk2m9xa" else None


if __name__ == "__main__":
    main()
