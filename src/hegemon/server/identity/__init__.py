"""Authentication: keys, sessions, passkeys and recovery codes."""
