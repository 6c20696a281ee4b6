import { setTimeout as sleep } from "node:timers/promises"
import { waitForModels } from "../../test/models/wait-for-models.ts"
import { adminKey, createUserKey, startGateway } from "../measure/gateway.ts"
import type { Processes } from "../measure/processes.ts"
import { openAddress, startNeighbour, treasure } from "../noisy-neighbor/neighbor.ts"
import { fetched, hostile, keeper, refused } from "./hostile.ts"

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

/** Starts a gateway for functions, and a mock upstream for ordinary requests. */
export const serveFunctions = async (processes: Processes, folder: string) => {
  const upstream = await processes.startServer("upstream", "proxy/upstream.ts")
  const gateway = await startGateway({
    processes,
    folder,
    cacheFolder: `${folder}/compile-cache`,
    upstreamPort: upstream.port,
    main: new URL("../../src/main.ts", import.meta.url).pathname,
    nodeOptions: ["--import", new URL("lying-resolver.ts", import.meta.url).href],
    env: { FUNCTION_NETWORKS: `${openAddress}/32` },
  })
  const neighbour = await startNeighbour()
  const key = await createUserKey(gateway)
  await waitForModels({ url: gateway.url, key }, ["bench-reply"])
  const base = `http://127.0.0.1:${gateway.port}`

  const post = async (path: string, body: object): Promise<Response> => {
    const response = await fetch(`${base}/api/v1/functions${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    return response
  }

  const save = async (id: string, content: string, fields: object = {}): Promise<void> => {
    const updated = await post(`/id/${id}/update`, { content, ...fields })
    if (updated.ok) return void (await updated.arrayBuffer())
    await updated.arrayBuffer()
    const created = await post("/create", {
      ...{ id, name: id, content, access_grants: everyone },
      ...fields,
    })
    if (!created.ok) throw new Error(`${id}: ${created.status} ${await created.text()}`)
    await created.arrayBuffer()
  }

  const ask = (asker: string, model: string, fields: object, signal?: AbortSignal) =>
    fetch(`${base}/v1/chat/completions`, {
      ...(signal && { signal }),
      method: "POST",
      headers: { authorization: `Bearer ${asker}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello." }], ...fields }),
    })

  return {
    pid: gateway.pid,
    neighbour,
    save,

    chat: (model: string, fields: object, signal?: AbortSignal): Promise<Response> =>
      ask(key, model, fields, signal),

    /** Requests the same stream directly from the provider. */
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

    /** Creates functions that are never called, in one import so that all checks finish together. */
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
      // The thread that checked their sources stays alive for a few seconds.
      await sleep(8000)
    },

    saveAll: async (): Promise<void> => {
      await save("trivial", "export function* reply() { yield 'Hello.' }")
      await save("bulk", bulk)
      await save("shout", shout)
      for (let index = 0; index < 4; index++) await save(`steady_${index}`, steady)
    },

    /** Saves a function with a secret in its settings, its store and its reply. */
    saveKeeper: async (): Promise<void> => {
      await save("keeper", keeper, { access_grants: [] })
      const filled = await post("/id/keeper/valves", { values: { secret: treasure } })
      if (!filled.ok) throw new Error(await filled.text())
      await filled.arrayBuffer()
      const kept = await (await ask(adminKey, "keeper", {})).text()
      if (!kept.includes(treasure))
        throw new Error(`The victim function did not return its secret: ${kept}`)
    },

    /** Saves the hostile functions of a kind. @returns one attack for each */
    hostileOf: async (kind: string): Promise<Attack[]> => {
      const hosts = fetched.map((host) => host.replace("PORT", `${neighbour.port}`))
      const codes = hostile[kind] ?? []
      for (const [index, code] of codes.entries()) {
        const content = code
          .replaceAll("PORT", `${neighbour.port}`)
          .replaceAll("SAVED", `${Date.now()}`)
        await save(`hostile_${kind}_${index}`, content, { hosts })
      }
      const saved = codes.map(
        (_code, index): Attack =>
          (signal) =>
            ask(key, `hostile_${kind}_${index}`, {}, signal),
      )
      const unsaved = (refused[kind] ?? []).map(
        (content): Attack =>
          () =>
            post("/create", { id: "refused", name: "Refused", content }),
      )
      return [...saved, ...unsaved]
    },
  }
}

/** Runs one hostile function. */
export type Attack = (signal: AbortSignal) => Promise<Response>
export type Served = Awaited<ReturnType<typeof serveFunctions>>
