"""The movement round: shipment, advisor, movement, coexistence."""
