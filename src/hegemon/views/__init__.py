"""Tables as one viewer sees them, as data for the terminal, `--json`, the JSON API and the pages."""

from hegemon.views.serialization import table_to_dict
from hegemon.views.table import (
    CardView,
    ColumnView,
    PlayerPanel,
    TableInfo,
    TableView,
    game_table,
    position_table,
    view_table,
)

__all__ = [
    "CardView",
    "ColumnView",
    "PlayerPanel",
    "TableInfo",
    "TableView",
    "game_table",
    "position_table",
    "table_to_dict",
    "view_table",
]
