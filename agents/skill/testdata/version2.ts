// Loads the plugin as OpenCode 2 does, with a context of the shape that its
// documentation gives, and prints what the plugin added.
const [plugin, directory] = process.argv.slice(2)
const { default: definition } = await import(plugin)
const hooks: Record<string, (event: any) => Promise<void>> = {}
const sessions: Record<string, object> = {
  main: { time: { created: Date.now() + 1000 } },
  child: { parentID: "main" },
  yesterday: { time: { created: Date.now() - 86400000 } },
}
const happened = ["session.execution.succeeded", "session.compaction.ended", "session.execution.failed", "session.deleted"]
let left = () => {}
let ask = () => {}
const asked = new Promise<void>((resolve) => (ask = resolve))
const drained = new Promise<void>((resolve) => (left = resolve))
const cleanup = await definition.setup({
  location: { directory },
  session: {
    get: async ({ sessionID }: any) => sessions[sessionID],
    hook: async (name: string, run: (event: any) => Promise<void>) => void (hooks[name] = run),
  },
  event: {
    async *subscribe() {
      await asked // after the requests
      for (const type of happened) yield { type, data: { sessionID: "main" } }
      left()
    },
  },
})
const added: Record<string, unknown[]> = {}
for (const [request, hook, sessionID] of [
  ["first", "context", "main"],
  ["second", "context", "main"],
  ["child", "context", "child"],
  ["yesterday", "context", "yesterday"],
  ["compaction", "compaction", "main"],
]) {
  const event = { sessionID, system: [] }
  await hooks[hook](event)
  added[request] = event.system
}
ask()
await drained
cleanup()
console.log(JSON.stringify({ id: definition.id, server: typeof definition.server, added }))
