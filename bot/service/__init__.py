"""Running Mentat: the service, its processes and its outbox; health checks, backups, upgrades and `mentat doctor`."""
