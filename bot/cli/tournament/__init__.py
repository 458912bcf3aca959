"""The commands `mentat tournament …`, one module a subject. Every act takes `--why` for the record, and `--dry-run`."""
