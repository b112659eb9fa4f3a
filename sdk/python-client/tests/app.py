"""The app of .ci/clients, with this client."""

import os

from handoff_client import Client, HandoffError

client = Client(os.environ["HANDOFF_URL"], os.environ["HANDOFF_TOKEN"])
path = client.list()[0]["path"]
print("waits:", path)
claimed = client.claim(path, "app")
print("claimed by:", claimed["by"], claimed["state"])
print("next action:", str("Immediate Next Action" in client.brief(path)).lower())
print("appended:", client.append("app", {"kind": "message", "payload": {"role": "user", "content": "begun"}})["entries"][0]["kind"])
print("done:", client.done(path, claimed["claim"])["state"])
try:
    client.claim(path, "app")
except HandoffError as error:
    print("again:", error.status, error.type)
