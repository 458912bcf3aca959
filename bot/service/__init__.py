"""Mentat at work: the service, its processes and its outbox; health, backup, upgrade and doctor."""
