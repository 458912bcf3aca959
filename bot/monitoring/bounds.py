"""The bounds of the histogram of lags."""

LAG_BOUNDS = (1, 5, 15, 30, 60, 120, 300, 900, 3600, 21600)
"""In seconds: 30 is one beat of the clock, 300 is when somebody is told."""
