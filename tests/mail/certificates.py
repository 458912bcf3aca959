"""Certificates made on demand: our own authority, and the certificates that it signs. Requires `openssl`."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path


def why_not_here() -> str:
    """Return why no certificate can be made on this machine, or "" if one can."""
    return "" if shutil.which("openssl") else "no openssl here (apt-get install openssl)"


class Authority:
    """A certificate authority that signs certificates for any host names. Clients must trust `ca_file`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ca_file = folder / "authority.pem"
        self._key = folder / "authority.key"
        self._run(
            "req", "-x509", *self._new_key(self._key), "-out", str(self.ca_file), "-days", "30",
            "-subj", "/CN=The authority of these tests", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        )  # fmt: skip

    def server_context(self, host: str) -> ssl.SSLContext:
        """Return the TLS context of a server with this host name or address."""
        key, request, signed = (self._folder / f"{host}.{kind}" for kind in ("key", "csr", "pem"))
        names = self._folder / f"{host}.names"
        names.write_text(f"subjectAltName={'IP' if host[0].isdigit() else 'DNS'}:{host}\n")
        self._run("req", *self._new_key(key), "-out", str(request), "-subj", f"/CN={host}")
        self._run(
            "x509", "-req", "-in", str(request), "-CA", str(self.ca_file), "-CAkey", str(self._key), "-CAcreateserial",
            "-out", str(signed), "-days", "30", "-extfile", str(names),
        )  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(signed, key)
        return context

    def _new_key(self, path: Path) -> list[str]:
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(path)]

    def _run(self, *words: str) -> None:
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=self._folder)
