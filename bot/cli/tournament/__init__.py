"""`mentat tournament …`: what organisers type. Every act takes `--why` for the record, `--if` the revision that was
seen, and `--dry-run`, which does nothing and says what would be done and to whom it would be written."""
