"""The special powers of each faction."""
