"""Where mail comes in and goes out: IMAP servers and Maildirs, SMTP servers and folders, TLS and access tokens."""
