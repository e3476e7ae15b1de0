"""Several workers on one database: who is alive, who is responsible for what, and what the others have changed."""
