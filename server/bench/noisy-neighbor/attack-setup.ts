import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { createWriter } from "../../../packages/search/bench/words.ts"
import { createRandom } from "../../test/harness/random.ts"
import { hostile } from "../functions/hostile.ts"
import { adminKey } from "../measure/gateway.ts"

/** Resources created for an attack. */
export interface Prepared {
  names: string[]
}

const model = "bench-reply"

const everyone = [{ principal_type: "user", principal_id: "*", permission: "read" }]

const createCaller = (port: number, key: string) => {
  const call = async (
    path: string,
    body: string | FormData | null,
    api = "/api/v1",
  ): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${api}${path}`, {
      method: body === null ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${key}`,
        ...(typeof body === "string" && { "content-type": "application/json" }),
      },
      body,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }
  return {
    get: (path: string) => call(path, null),
    post: (path: string, body: object) => call(path, JSON.stringify(body)),
    send: (path: string, form: FormData) => call(path, form),
    respond: (body: object) => call("/responses", JSON.stringify(body), "/v1"),
  }
}

const codes = Object.entries(hostile).flatMap(([kind, all]) =>
  all.map((content, index) => ({
    id: `hostile_${kind}_${index}`,
    content: content.replaceAll("PORT", "1").replaceAll("SAVED", "0"),
  })),
)

const saveFunctions = async (port: number): Promise<Prepared> => {
  const admin = createCaller(port, adminKey)
  const names: string[] = []
  for (const { id, content } of codes) {
    // Sources that are rejected on saving cannot attack.
    const made = admin.post("/functions/create", { id, name: id, content, access_grants: everyone })
    if (await made.catch(() => null)) names.push(id)
  }
  return { names }
}

const Id = z.object({ id: z.string() })
const Counted = z.object({ file_counts: z.object({ total: z.int(), completed: z.int() }) })
const books = 12

const fillCollection = async (port: number, key: string): Promise<Prepared> => {
  const user = createCaller(port, key)
  const write = createWriter(createRandom(7))
  const { id } = Id.parse(await user.post("/knowledge/create", { name: "Books" }))
  for (let index = 0; index < books; index++) {
    const form = new FormData()
    const text = Array.from({ length: 2000 }, () => write(80)).join("\n\n")
    form.append("file", new Blob([text]), `${index}.txt`)
    const file = Id.parse(await user.send("/files/", form))
    await user.post(`/knowledge/${id}/file/add`, { file_id: file.id })
  }
  for (let tries = 0; tries < 600; tries++) {
    const { file_counts: counts } = Counted.parse(await user.get(`/knowledge/${id}`))
    if (counts.completed === counts.total) return { names: [id] }
    await sleep(200)
  }
  throw new Error("the collection was not processed within two minutes")
}

/** An item that a request can refer to. */
const storeItem = async (port: number, key: string): Promise<Prepared> => {
  const item = { type: "message", role: "user", id: "msg_big", content: "x".repeat(1_000_000) }
  await createCaller(port, key).respond({ model, input: [item] })
  return { names: [item.id] }
}

/** A response that a request can continue. */
const storeHistory = async (port: number, key: string): Promise<Prepared> => {
  const input = Array.from({ length: 9000 }, () => ({ role: "user", content: "x".repeat(1300) }))
  const { id } = Id.parse(await createCaller(port, key).respond({ model, input }))
  return { names: [id] }
}

const uploadFile = async (port: number, key: string): Promise<Prepared> => {
  const form = new FormData()
  form.append("file", new Blob(["x"]), "x.txt")
  const { id } = Id.parse(await createCaller(port, key).send("/files/", form))
  return { names: [id] }
}

/** Creates the resources that an attack needs, before the measurement. */
export const prepare = async (attack: string, port: number, key: string): Promise<Prepared> => {
  if (attack === "hostile functions" || attack === "10 million yields") return saveFunctions(port)
  if (attack === "searches") return fillCollection(port, key)
  if (attack === "references to one item") return storeItem(port, key)
  if (attack === "references to one file") return uploadFile(port, key)
  if (attack === "long histories") return storeHistory(port, key)
  return { names: [] }
}
