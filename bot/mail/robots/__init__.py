"""Mail that no person wrote: bounces, and the answers of programs."""
