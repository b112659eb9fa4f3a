// The app of TestGeneratedClients, with the types that openapi-typescript generates.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const { HANDOFF_URL: baseUrl, HANDOFF_TOKEN: token } = process.env;
const api = createClient<paths>({ baseUrl: baseUrl!, headers: { Authorization: `Bearer ${token}` } });

const list = await api.GET("/handoffs");
const path = list.data![0]!.path;
console.log("waits:", path);
const params = { path: { ref: path } };
const claimed = await api.POST("/handoffs/{ref}/claim", { params, body: { as: "app" } });
console.log("claimed by:", claimed.data!.by, claimed.data!.state);
const brief = await api.GET("/handoffs/{ref}/brief", { params, parseAs: "text" });
console.log("next action:", brief.data!.includes("Immediate Next Action"));
const entry = { kind: "message", payload: { role: "user", content: "begun" } };
const appended = await api.POST("/tapes/{tape}/entries", { params: { path: { tape: "app" } }, body: { entries: [entry] } });
console.log("appended:", appended.data!.entries[0]!.kind);
const done = await api.POST("/handoffs/{ref}/done", { params, body: { claim: claimed.data!.claim! } });
console.log("done:", done.data!.state);
const again = await api.POST("/handoffs/{ref}/claim", { params, body: { as: "app" } });
console.log("again:", again.response.status, again.error!.type);
