"""The record of a game: a chain of lines that proves what happened, as a file for programs and as a text for people."""
