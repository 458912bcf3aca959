"""The engine: phases in their order, orders in, events out."""
