"""The app of TestGeneratedClients, with the client that openapi-python-client generates."""

import os

from handoff_client import AuthenticatedClient
from handoff_client.api.handoffs import handoff_brief, handoff_claim, handoff_done, handoff_list
from handoff_client.api.tapes import tape_append
from handoff_client.models import AppendBody, EntryBody, EntryBodyPayload, HandoffClaimRequest, HandoffDoneRequest

client = AuthenticatedClient(os.environ["HANDOFF_URL"], os.environ["HANDOFF_TOKEN"])
path = handoff_list.sync(client=client)[0].path
print("waits:", path)
claimed = handoff_claim.sync(path, client=client, body=HandoffClaimRequest(as_="app"))
print("claimed by:", claimed.by, claimed.state.value)
print("next action:", str("Immediate Next Action" in handoff_brief.sync(path, client=client)).lower())
payload = EntryBodyPayload.from_dict({"role": "user", "content": "begun"})
appended = tape_append.sync("app", client=client, body=AppendBody(entries=[EntryBody("message", payload)]))
print("appended:", appended.entries[0].kind)
print("done:", handoff_done.sync(path, client=client, body=HandoffDoneRequest(claim=claimed.claim)).state.value)
again = handoff_claim.sync_detailed(path, client=client, body=HandoffClaimRequest(as_="app"))
print("again:", again.status_code.value, again.parsed.type_)
