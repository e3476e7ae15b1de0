"""The page of a person: its sections, each with a module here and a template in `templates/me`."""
