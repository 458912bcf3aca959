"""The version of Mentat: the one place where it is written. The wheel takes its number from here."""

VERSION = "1.0.0"
