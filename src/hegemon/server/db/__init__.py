"""What is stored: SQLite by default, behind SQLAlchemy."""
