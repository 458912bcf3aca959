"""The commands `mentat tournament …`, one module a subject."""
