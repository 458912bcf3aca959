"""Open games and what every room above stands on: transactions, letters, notices, identity, silence, proof."""
