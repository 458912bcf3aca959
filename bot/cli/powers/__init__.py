"""The game master's powers as commands: one module a subject, each command one power."""
