"""The engine: it plays the phases in their order, takes orders and produces events."""
