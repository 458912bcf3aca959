"""Authentication of a mail's From domain by Authentication-Results (RFC 8601) and DKIM (RFC 6376).

Both prove a domain, not a person: they show that the sender's domain vouches for this mail. The only results that count
are those in the topmost field of our own server, which is identified by its authserv-id. A server adds its field above
everything that came with the mail, so a forged field is further down (section 5 of RFC 8601 says that it should even be
removed). The field is read by authres, a maintained parser, and strictly: a field that cannot be read, or that states
one result twice or in two ways, proves nothing.

A signing domain counts if it is the From domain or its organizational domain (RFC 7489 section 3.2). The organizational
domain is found with the list of public suffixes, so somebody who controls ``co.uk``, or any domain between the
organizational domain and the sender's, cannot sign for others.

dkimpy checks DKIM signatures with a DNS lookup that the caller passes in, so this module needs no network. A signature
counts only if it covers the From and Date fields and the whole body. If it covered only a given length of the body
(``l=``), anybody could add orders at the end; if it did not cover the Date, an old mail could be sent again as a new
one. SHA-1 signatures do not count (RFC 8301). Only domains whose signature would count are looked up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import dkim

from bot.mail.decoding import FIELD_CHARS
from bot.mail.message import Incoming

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_ADDRESS = re.compile(r"(?:[^\s@\"\\]*@)?([^\s@\"\\]+)")
_SAYS_DOMAIN = {"dkim": ("header.d", "header.i"), "dmarc": ("header.from",), "spf": ("smtp.mailfrom", "smtp.mfrom")}


class AuthenticationResult(NamedTuple):
    """One result, such as `AuthenticationResult("dkim", "pass", "example.org")`. The domain is "" if unclear."""

    method: str
    outcome: str
    domain: str


def unproved_because(incoming: Incoming, raw: bytes, authserv_id: str, lookup: Lookup | None) -> str:
    """Return why the sender is not authenticated, or "" if our own server or a signature of the sender's domain vouches
    for them.

    `authserv_id` identifies the server whose results count; it is "" if there is none. If a `lookup` is given, DKIM
    signatures are checked here. Raise CannotAsk if the DNS does not respond at present.
    """
    domain = _ascii(incoming.sender.rpartition("@")[2])
    doubts = []
    if authserv_id:
        doubt = _doubt(results_of(incoming.headers.get("authentication-results", ()), authserv_id), domain)
        if not doubt:
            return ""
        doubts.append(doubt)
    if lookup is not None:
        if is_signed_by(raw, lambda signer: stands_for(signer, domain), lookup):
            return ""
        doubts.append(f"no valid DKIM signature of {domain}")
    return "; ".join(doubts) or "no way to authenticate senders is configured"


def doubt_about(domain: str, fields: tuple[str, ...], authserv_id: str) -> str:
    """Return why the results of a server do not authenticate this From domain, or "" if they do.

    >>> doubt_about("c.example", ("mx.b.example; dkim=pass header.d=c.example",), "mx.b.example")
    ''
    """
    return _doubt(results_of(fields, authserv_id), _ascii(domain))


def was_passed_on_by(domain: str, fields: tuple[str, ...], authserv_id: str) -> bool:
    """Return True if, according to a server, this domain forwarded the mail, regardless of its author.

    The domain must either have signed the mail or have been its envelope sender, as it is for mail from a mailing list.

    >>> was_passed_on_by("lists.example", ("mx.b.example; dmarc=fail; spf=pass smtp.mailfrom=x@lists.example",),
    ...                  "mx.b.example")
    True
    """
    results = results_of(fields, authserv_id) or []
    return any(stands_for(signer, domain) for signer in _signers(results))


def results_of(fields: tuple[str, ...], authserv_id: str) -> list[AuthenticationResult] | None:
    """Return the results in the topmost Authentication-Results field that this server wrote. The list is empty if the
    field cannot be read. Return None if there is no such field.

    >>> results_of(("mx.a.example; spf=fail", "mx.b.example 1; dkim=pass (1024) header.d=c.example"), "mx.b.example")
    [AuthenticationResult(method='dkim', outcome='pass', domain='c.example')]
    """
    from authres import all_features
    from authres.core import AuthenticationResultsHeader

    class Strict(AuthenticationResultsHeader):  # type: ignore[misc]  # authres ships no types
        def __init__(self, features: object) -> None:
            super().__init__(features, strict=True)

    for field in fields:
        try:
            if len(field) >= FIELD_CHARS:
                raise ValueError("its end may be cut off")
            read = Strict.parse_value(all_features(), field)
            results = [AuthenticationResult(each.method, each.result, _domain_of(each)) for each in read.results]
        except Exception:  # authres raises many kinds of errors on such a field, even RecursionError
            if authserv_id.lower() in field.lower():
                return []
            continue
        if read.authserv_id == authserv_id.lower():
            return results
    return None


def _domain_of(result: Any) -> str:
    said = [(f"{each.type}.{each.name}", _ADDRESS.fullmatch(each.value or "")) for each in result.properties]
    if len(dict(said)) < len(said) or result.version not in (None, "1"):
        return ""
    named = {name: found for name, found in said if name in _SAYS_DOMAIN.get(result.method, ())}
    domains = {name: _ascii(found.group(1)) if found else "" for name, found in named.items()}
    if len(domains) == 1:
        return next(iter(domains.values()))
    signer, agent = domains.get("header.d", ""), domains.get("header.i", "")
    return signer if signer and f".{agent}".endswith(f".{signer}") else ""  # RFC 6376 section 3.5: i= is within d=


def stands_for(signer: str, domain: str) -> bool:
    """Return True if proof of the signing domain also proves the From domain.

    >>> stands_for("example.org", "mail.example.org"), stands_for("org", "example.org"), stands_for("e.org", "a-e.org")
    (True, False, False)
    """
    signer, domain = _ascii(signer), _ascii(domain)
    return bool(signer) and (signer == domain or signer == _public_suffixes().privatesuffix(domain))


@cache
def _public_suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # reads its list from its own folder

    return PublicSuffixList()


def _doubt(results: list[AuthenticationResult] | None, domain: str) -> str:
    if results is None:
        return "the mail server did not report who sent it"
    policies = [result for result in results if result.method == "dmarc" and result.outcome != "none"]
    for policy in policies:
        if policy.outcome != "pass":
            return f"the mail server says dmarc={policy.outcome[:20]}"
    if policies:
        known = len(policies) == 1 and stands_for(policies[0].domain, domain)
        return "" if known else f"the mail server names a sender other than {domain}"
    proved = any(stands_for(signer, domain) for signer in _signers(results))
    return "" if proved else f"the mail server found neither DKIM nor SPF of {domain} valid"


def _signers(results: Sequence[AuthenticationResult]) -> list[str]:
    return [each.domain for each in results if each.outcome == "pass" and each.method in ("dkim", "spf")]


def _ascii(domain: str) -> str:
    """Return a domain in the form that the DNS uses, without replacing letters with similar ones. The standard
    library's codec (RFC 3490) turns ß into ss, but straße.example and strasse.example are two different domains (RFC
    5891)."""
    labels = unicodedata.normalize("NFC", domain).lower().rstrip(".").split(".")
    return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels)


Lookup = Callable[[bytes], bytes | None]
"""A function that returns the TXT record of a DNS name, or None if there is none. It raises `CannotAsk` if the DNS does
not respond."""

MOST_SIGNATURES = 5


class CannotAsk(Exception):
    pass


def is_signed_by(raw: bytes, counts: Callable[[str], bool], lookup: Lookup) -> bool:
    """Return True if the message has a valid signature of a domain that counts. Raise CannotAsk if there is none and
    the DNS did not respond about at least one signature."""
    away: CannotAsk | None = None
    for index in range(MOST_SIGNATURES):
        try:
            checker = dkim.DKIM(raw, logger=_SilentLog())
            found = checker.verify_headerprep(index)
            if not found:
                break
            tags, covered, _ = found
            if _counts(checker, tags, covered, counts) and checker.verify(index, dnsfunc=_without_timeout(lookup)):
                return True
        except CannotAsk as problem:
            away = problem
        except Exception:  # dkimpy raises many kinds of errors on a broken signature; another may be valid
            continue
    if away:
        raise away
    return False


def _counts(
    checker: dkim.DKIM, tags: Mapping[bytes, bytes], covered: Sequence[bytes], counts: Callable[[str], bool]
) -> bool:
    dated = any(name.lower() == b"date" for name, _ in checker.headers)
    whole = b"l" not in tags and b"from" in covered and (b"date" in covered or not dated)
    return whole and not tags[b"a"].strip().endswith(b"sha1") and counts(tags[b"d"].decode("ascii", "replace"))


def ask_dns(name: bytes) -> bytes | None:
    try:
        record: bytes | None = dkim.get_txt(name)
    except dkim.DnsTimeoutError as problem:
        raise CannotAsk(re.sub(r"\s+", " ", str(problem))[:200]) from problem
    return record


def _without_timeout(lookup: Lookup) -> Callable[..., bytes | None]:
    return lambda name, timeout=0: lookup(name)


class _SilentLog:
    """A log that discards the messages of dkimpy, because much of their content comes from strangers."""

    def debug(self, *_: object) -> None: ...

    info = warning = error = debug
