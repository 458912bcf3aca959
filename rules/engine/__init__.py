"""The engine: it plays the phases in sequence, takes orders and produces events."""
