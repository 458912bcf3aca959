"""Look at what is approved, and approve what has come to be otherwise.

python -m tests.approved diff [NAME…]        what the product makes of kept inputs now that it did not before
python -m tests.approved accept [NAME…]      approve that
python -m tests.approved gather NAME [--seconds 300] [--most 2000]
                                             look for more inputs, beginning with those that are kept
python -m tests.approved gather NAME --anew  forget those that are kept
"""

from __future__ import annotations

import argparse

from tests.approved import probes


def main() -> int:
    """Do what the command line asks; 1 if ``diff`` finds something."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.approved", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=("diff", "accept", "gather"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--most", type=int, default=2000)
    parser.add_argument("--anew", action="store_true")
    asked = parser.parse_args()
    if asked.task == "gather":
        probes.install()
    from tests.approved.choosing import choose
    from tests.approved.kept import differences, keep, kept_file, read
    from tests.approved.subjects import SUBJECTS

    found = False
    for name in asked.names or SUBJECTS:
        subject = SUBJECTS[name]
        approved = read(name) if kept_file(name).exists() and not asked.anew else []
        if asked.task == "gather":
            chosen = choose(subject, asked.seconds, asked.most, [each.given for each in approved])
            keep(subject, chosen)
            print(f"{name}: {len(chosen)} inputs, {kept_file(name).stat().st_size:,} bytes")
            continue
        for difference in differences(subject, approved):
            found = True
            print(difference)
        if asked.task == "accept":
            keep(subject, [each.given for each in approved])
    return int(found and asked.task == "diff")


if __name__ == "__main__":
    raise SystemExit(main())
