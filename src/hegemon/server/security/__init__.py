"""CSRF protection, rate limits and tokens."""
