"""A client of `handoff serve`. It needs nothing but the standard library."""

from handoff_client.client import Client, Event
from handoff_client.errors import HandoffError
from handoff_client.local import local_token
from handoff_client.tapes import Tapes
from handoff_client.threads import Sessions, Threads

__all__ = ["Client", "Event", "HandoffError", "Sessions", "Tapes", "Threads", "local_token"]
