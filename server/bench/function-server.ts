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

const shout = `export const chunk = (delta) =>
  delta.content ? { ...delta, content: delta.content.toUpperCase() } : delta`

/** Each takes as much as it can get. */
export const hostile: Readonly<Record<string, string>> = {
  loop: "export const reply = () => { for (;;) {} }",
  promises:
    "export const reply = () => { const on = () => Promise.resolve().then(on); return on() }",
  memory: "export const reply = () => { let text = 'x'; for (;;) text += text }",
  pattern: "export const reply = () => String(/^(a+)+$/.test('a'.repeat(60) + 'b'))",
  pieces: "export function* reply() { for (;;) yield 'x' }",
  native: "export const reply = () => new Array(1e9) + ''",
  logs: "export const reply = (request, { log }) => { for (;;) log('x'.repeat(1000)) }",
}

/** A gateway with functions in it, and an upstream for what is ordinary. */
export const serveFunctions = async (processes: Processes, folder: string) => {
  const upstream = await processes.startServer("upstream", "upstream.ts")
  const gateway = await startGateway({
    processes,
    folder,
    cacheFolder: `${folder}/compile-cache`,
    upstreamPort: upstream.port,
    main: new URL("../src/main.ts", import.meta.url).pathname,
    nodeOptions: process.env.PROF ? ["--cpu-prof", "--cpu-prof-dir=" + process.env.PROF] : [],
  })
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

  const save = async (id: string, content: string): Promise<void> => {
    const updated = await post(`/id/${id}/update`, { content })
    if (updated.ok) return void (await updated.arrayBuffer())
    await updated.arrayBuffer()
    const created = await post("/create", { id, name: id, content, access_grants: everyone })
    if (!created.ok) throw new Error(`${id}: ${created.status} ${await created.text()}`)
    await created.arrayBuffer()
  }

  return {
    pid: gateway.pid,
    save,

    chat: (model: string, fields: object): Promise<Response> =>
      fetch(`${base}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello." }], ...fields }),
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
      await save("shout", shout)
      for (let index = 0; index < 4; index++) await save(`steady_${index}`, steady)
      for (const [name, content] of Object.entries(hostile)) await save(`hostile_${name}`, content)
    },
  }
}

export type Served = Awaited<ReturnType<typeof serveFunctions>>
