"""Step 2: the reference board and the effects of the six Domains."""
