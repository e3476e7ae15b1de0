"""The routes of the pages."""
