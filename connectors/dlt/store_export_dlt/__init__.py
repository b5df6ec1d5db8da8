"""dlt source for the store data export."""

from .deletions import remove_deleted
from .source import store_export

__all__ = ["remove_deleted", "store_export"]
