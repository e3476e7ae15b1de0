"""Several workers on one database: leases, messages between workers, and changes that other workers have made."""
