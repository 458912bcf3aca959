"""Which words of a mail are its sender's own (`reading.own_lines`): everything here only takes away."""
