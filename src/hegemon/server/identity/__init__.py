"""Who sends a request: keys, sessions, passkeys and recovery codes."""
