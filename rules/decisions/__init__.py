"""What is asked of whom, and when a game waits."""
