"""Open games, and what other packages need them for: transactions, letters, notices, identity, silent players,
proof."""
