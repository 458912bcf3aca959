"""Press: who at a table may write to whom, signed or not, and when it goes out, decided from values alone."""
