import { once } from "node:events"
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { createUserKey, modelsKnown, startGateway } from "./gateway.ts"
import type { Processes } from "./processes.ts"

const adminKey = "sk-bench-admin-0000000000000000000000000000"
const everyone = [{ principal_type: "user", principal_id: "*", permission: "read" }]

const steady = `export async function* reply() {
  for (let count = 0; count < 100; count++) {
    yield "word " + count + " "
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}`

const bulk = "export function* reply() { for (let n = 0; n < 10_000; n++) yield 'word ' }"

const shout = `export const chunk = (delta) =>
  delta.content ? { ...delta, content: delta.content.toUpperCase() } : delta`

/** The only address of this machine that functions may reach: it sends whoever comes to a closed one. */
const redirecting = "127.0.0.2"

const startRedirecting = async (): Promise<number> => {
  const server = createServer((_request, response) => {
    response.writeHead(307, { location: "http://127.0.0.1:8080/" }).end()
  })
  server.listen(0, redirecting).unref()
  await once(server, "listening")
  const address = server.address()
  return typeof address === "object" && address ? address.port : 0
}

const replying = (expression: string): string =>
  `export const reply = async (request, context) => ${expression}`

const fetching = (host: string): string =>
  replying(`(await context.fetch('http://${host}/')).text()`)

/** What takes as much as it can get, and what wants where it may not; by what it strains. */
export const hostile: Readonly<Record<string, readonly string[]>> = {
  loop: [
    replying("{ for (;;) {} }"),
    replying("{ for (;;) { try { for (;;) {} } finally { continue } } }"),
  ],
  promises: [replying("{ const on = () => Promise.resolve().then(on); return on() }")],
  memory: [
    replying("'x'.repeat(1e9)"),
    replying("{ let text = 'x'; for (;;) text += text }"),
    replying("{ const all = []; for (;;) all.push('x'.repeat(1e6) + all.length) }"),
  ],
  recursion: [
    replying("{ const down = (n) => down(n + 1) + 1; return String(down(0)) }"),
    replying(
      "{ let deep = []; for (let n = 0; n < 1e5; n++) deep = [deep]; return JSON.stringify(deep) }",
    ),
  ],
  pattern: [replying("String(/^(a+)+$/.test('a'.repeat(60) + 'b'))")],
  pieces: ["export function* reply() { for (let n = 0; n < 1e7; n++) yield 'x' }"],
  native: [replying("new Array(1e9) + ''")],
  logs: [replying("{ for (;;) context.log('x'.repeat(1000)) }")],
  waiting: [
    replying("new Promise(() => {})"),
    replying("new Promise((on) => setTimeout(on, 1e9))"),
  ],
  loading: [
    // It loads when it is saved, and not when it is asked.
    `if (Date.now() > ${Date.now() + 60_000}) throw new Error("late")\n${replying("'in time'")}`,
    replying("import('node:fs')"),
  ],
  tricks: [
    replying(
      "{ Object.prototype.toJSON = () => ({ id: -1 }); context.log(context); return context }",
    ),
    replying(
      "{ globalThis.Promise = class {}; Array.prototype.map = 1; Map.prototype.get = 1; return 'x' }",
    ),
    replying("context.chat.constructor.constructor('return typeof process')()"),
  ],
  reach: [
    ...["127.0.0.1:8080", "localhost:8080", "169.254.169.254", "10.0.0.1"].map(fetching),
    fetching(`${redirecting}:PORT`),
    fetching("not-allowed.example"),
    replying("context.chat({ model: 'not-granted', messages: request.messages })"),
    replying(
      "{ for (let n = 0; n < 50; n++) await context.store.set('k' + n, 'x'.repeat(1e4)); return 'x' }",
    ),
  ],
}

/** The models' names. */
export const hostileModels = (name: string): string[] =>
  (hostile[name] ?? []).map((_code, index) => `hostile_${name}_${index}`)

/** A gateway with functions in it, and an upstream for what is ordinary. */
export const serveFunctions = async (processes: Processes, folder: string) => {
  const upstream = await processes.startServer("upstream", "upstream.ts")
  const gateway = await startGateway({
    processes,
    folder,
    cacheFolder: `${folder}/compile-cache`,
    upstreamPort: upstream.port,
    main: new URL("../src/main.ts", import.meta.url).pathname,
    nodeOptions: [],
    env: { FUNCTION_NETWORKS: `${redirecting}/32` },
  })
  const redirectPort = await startRedirecting()
  const key = await createUserKey(gateway)
  await modelsKnown(gateway, key)
  const base = `http://127.0.0.1:${gateway.port}`

  const post = async (path: string, body: object): Promise<Response> => {
    const response = await fetch(`${base}/api/v1/functions${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    return response
  }

  const save = async (id: string, content: string, hosts: string[] = []): Promise<void> => {
    const updated = await post(`/id/${id}/update`, { content, hosts })
    if (updated.ok) return void (await updated.arrayBuffer())
    await updated.arrayBuffer()
    const created = await post("/create", { id, name: id, content, hosts, access_grants: everyone })
    if (!created.ok) throw new Error(`${id}: ${created.status} ${await created.text()}`)
    await created.arrayBuffer()
  }

  return {
    pid: gateway.pid,
    save,

    chat: (model: string, fields: object, signal?: AbortSignal): Promise<Response> =>
      fetch(`${base}/v1/chat/completions`, {
        ...(signal && { signal }),
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello." }], ...fields }),
      }),

    /** The same stream from the provider itself. */
    fromProvider: (fields: object): Promise<Response> =>
      fetch(`http://127.0.0.1:${upstream.port}/v1/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ messages: [{ role: "user", content: "Hello." }], ...fields }),
      }),

    attach: async (id: string, models: string[]): Promise<void> => {
      const response = await post(`/id/${id}/update`, { filter_models: models })
      if (!response.ok) throw new Error(await response.text())
      await response.arrayBuffer()
    },

    /** Functions that are only there; imported at once, so that one check after another ends. */
    saveIdle: async (count: number): Promise<void> => {
      await save("idle", steady)
      await sleep(1000)
      const functions = Array.from({ length: count }, (_, index) => ({
        id: `idle_${index}`,
        name: `Idle ${index}`,
        content: steady,
      }))
      const response = await post("/import", { functions })
      if (!response.ok) throw new Error(await response.text())
      await sleep(3000)
    },

    saveAll: async (): Promise<void> => {
      await save("trivial", "export function* reply() { yield 'Hello.' }")
      await save("bulk", bulk)
      await save("shout", shout)
      for (let index = 0; index < 4; index++) await save(`steady_${index}`, steady)
    },

    saveHostile: async (names: readonly string[]): Promise<void> => {
      const hosts = ["127.0.0.1:8080", "localhost:8080", "169.254.169.254", "10.0.0.1"]
      hosts.push(`${redirecting}:${redirectPort}`)
      for (const name of names) {
        for (const [index, code] of (hostile[name] ?? []).entries()) {
          const content = code.replace("PORT", `${redirectPort}`)
          await save(`hostile_${name}_${index}`, content, hosts)
        }
      }
    },
  }
}

export type Served = Awaited<ReturnType<typeof serveFunctions>>
