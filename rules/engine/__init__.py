"""The engine: it plays the phases in sequence, accepts orders and produces events."""
