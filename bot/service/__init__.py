"""Mentat at work: the loop that polls, lets time pass, and sends."""
