// handoff: passes the waiting handoff to a session of OpenCode.
//
// `handoff setup opencode` writes this file and `handoff setup opencode --remove`
// deletes it. It has no logic of its own: it runs `handoff hook EVENT --host
// opencode` and adds what that prints to the context of the session. Without the
// handoff program, or when it fails, it adds nothing.
//
// OpenCode 1 (1.18.29 or newer) runs server(), OpenCode 2 runs setup(). Neither
// version needs a package to be installed.

import { spawn } from "node:child_process"

type Payload = Record<string, unknown>

// hook runs `handoff hook` and returns the text that it prints for the model.
function hook(directory: string, event: string, payload: Payload): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("handoff", ["hook", event, "--host", "opencode"], {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 5000,
      windowsHide: true,
    })
    let out = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text: string) => (out += text))
    child.on("error", () => resolve("")) // not installed
    child.on("close", (status) => resolve(status === 0 ? textOf(out) : ""))
    child.stdin.on("error", () => {}) // it ended before it read everything
    child.stdin.end(JSON.stringify({ cwd: directory, ...payload }))
  })
}

// textOf is what the hook printed: the text itself, or {"context": "…"}. A text
// never begins with a brace.
function textOf(out: string): string {
  if (!out.startsWith("{")) return out.trim()
  try {
    const text = JSON.parse(out).context
    return typeof text === "string" ? text : ""
  } catch {
    return ""
  }
}

// Session is what the plugin needs of a session.
type Session = { parentID?: string; time?: { created?: number } }

// sessions keeps the text of each session, which is added to every request in the
// same words, so that the provider's prompt cache stays valid.
function sessions(directory: string, get: (id: string) => Promise<Session | undefined>) {
  const loaded = Date.now()
  const texts = new Map<string, Promise<string>>()
  const start = async (id: string): Promise<string> => {
    const session = await get(id).catch(() => undefined)
    if (session?.parentID) return "" // a subagent: the handoff is for its parent
    // The text is not in the transcript. A session that is opened again has lost it,
    // as after a compaction.
    const again = (session?.time?.created ?? loaded) < loaded
    return hook(directory, "session-start", { session_id: id, hook_event_name: "session.created", source: again ? "compact" : "startup" })
  }
  return {
    text(id: string): Promise<string> {
      if (!texts.has(id)) texts.set(id, start(id))
      return texts.get(id)!
    },
    // compacted asks again: another handoff may wait by now. What was added stays
    // in the system prompt, so an empty answer changes nothing.
    async compacted(id: string): Promise<void> {
      const text = await hook(directory, "post-compact", { session_id: id, hook_event_name: "session.compacted" })
      if (text) texts.set(id, Promise.resolve(text))
    },
    run(event: string, id: string, native: string): Promise<string> {
      return hook(directory, event, { session_id: id, hook_event_name: native })
    },
    async ended(id: string): Promise<void> {
      texts.delete(id)
      await hook(directory, "session-end", { session_id: id, hook_event_name: "session.deleted" })
    },
  }
}

// server is the plugin of OpenCode 1.
async function server({ client, directory }: any) {
  const known = sessions(directory, async (id) => (await client.session.get({ path: { id } })).data)
  let titles: Promise<string[]> | undefined
  // titled reports whether the request is for a title. It has the session's id, but the prompt of another agent.
  const titled = async (system: string[]): Promise<boolean> => {
    titles ??= Promise.resolve(client.app.agents())
      .then(({ data }: any) => data.filter((agent: any) => agent.name === "title" && agent.prompt).map((agent: any) => agent.prompt))
      .catch(() => [])
    return (await titles!).some((prompt) => system[0]?.startsWith(prompt))
  }
  return {
    "experimental.chat.system.transform": async (input: any, output: any) => {
      if (!input.sessionID || (await titled(output.system))) return
      const text = await known.text(input.sessionID)
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (input: any, output: any) => {
      const text = await known.run("pre-compact", input.sessionID, "session.compacting")
      if (text) output.context.push(text)
    },
    "tool.execute.after": async (input: any, output: any) => {
      if (!/write|edit|patch/.test(input.tool)) return
      const text = await hook(directory, "tool-use", {
        session_id: input.sessionID,
        hook_event_name: "tool.execute.after",
        tool_name: input.tool,
        tool_input: { ...input.args, patch: input.args?.patchText },
      })
      if (text) output.output += "\n\n" + text
    },
    event: async ({ event }: any) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      if (!id) return
      if (event.type === "session.compacted") await known.compacted(id)
      if (event.type === "session.idle") await known.run("stop", id, event.type)
      if (event.type === "session.error") await known.run("stop-failure", id, event.type)
      if (event.type === "session.deleted") await known.ended(id)
    },
  }
}

// setup is the plugin of OpenCode 2. It runs in a shared server, so the folder is
// that of the plugin's context, not that of the process.
async function setup(ctx: any) {
  const known = sessions(ctx.location.directory, (id) => ctx.session.get({ sessionID: id }))
  await ctx.session.hook("context", async (event: any) => {
    const text = await known.text(event.sessionID)
    if (text) event.system.push({ type: "text", text })
  })
  await ctx.session.hook("compaction", async (event: any) => {
    const text = await known.run("pre-compact", event.sessionID, "session.compacting")
    if (text) event.system.push({ type: "text", text })
  })
  const ending = new AbortController()
  const follow = async () => {
    for await (const event of ctx.event.subscribe({ signal: ending.signal })) {
      const id = event.data?.sessionID
      if (!id) continue
      if (event.type === "session.compaction.ended") await known.compacted(id)
      if (event.type === "session.execution.succeeded") await known.run("stop", id, event.type)
      if (event.type === "session.execution.failed") await known.run("stop-failure", id, event.type)
      if (event.type === "session.deleted") await known.ended(id)
    }
  }
  follow().catch(() => {}) // the stream ends with the server
  return () => ending.abort()
}

export default { id: "handoff", server, setup }
