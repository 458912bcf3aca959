"""Letters and notices, written into the outbox."""
