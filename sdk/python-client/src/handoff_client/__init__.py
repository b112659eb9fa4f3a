"""A client of `handoff serve`. It needs nothing but the standard library."""

from handoff_client.client import Client, Event
from handoff_client.errors import HandoffError
from handoff_client.local import local_token

__all__ = ["Client", "Event", "HandoffError", "local_token"]
