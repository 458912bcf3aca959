"""A mail taken apart: bytes in, plain values out (`message.parse`), whatever the bytes are."""
