import { type OpenApi, type Operation, operationsOf } from "../../fuzz/api/document.ts"
import { adminKey, scimToken } from "../../fuzz/api/gateway.ts"
import type { Ids } from "../../fuzz/api/ids.ts"
import { bytesOf, createRequests } from "../../fuzz/api/request.ts"
import { createValues } from "../../fuzz/api/values.ts"
import type { Chooser } from "../../test/harness/random.ts"
import type { WireParts } from "./hang-up.ts"

/** Long enough to be aborted in the middle of the transfer. */
export const longText = "Bees. ".repeat(50_000)

/** Makes the fake provider send this many chunks, 20 ms apart. */
export const slowly = (chunks: number) => ({ fake_chunks: chunks, fake_delay_ms: 20 })

export const functionModel = "echo"
export const functionSource = `export async function* reply({ messages }, context) {
  yield "Asked: "
  await new Promise((resolve) => setTimeout(resolve, 20))
  yield* context.chat({ model: "gpt-fake", messages, stream: true, metadata: ${JSON.stringify(slowly(10))} })
}`

const boundary = "----boundary"
export const uploadType = `multipart/form-data; boundary=${boundary}`
export const uploadOf = (filename: string, content: string): Buffer =>
  Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n` +
      `Content-Type: text/plain\r\n\r\n${content}\r\n--${boundary}--\r\n`,
  )

const post = (path: string, value: unknown): WireParts => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(value)),
})

const get = (path: string): WireParts => ({ method: "GET", path, headers: {}, body: undefined })

const ask = (model: string, content: string, fields: object = {}) => ({
  model,
  messages: [{ role: "user", content }],
  metadata: slowly(30),
  ...fields,
})

const message = { id: "m", role: "user", content: longText, created_at: 1 }
const chat = { title: "Brought along", created_at: 1, updated_at: 1, messages: [message] }

/** Long-running requests that hold slots, locks, files, connections or memory. */
const longOnes: readonly ((ids: Ids) => WireParts)[] = [
  () => post("/v1/chat/completions", ask("gpt-fake", "Hello", { stream: true })),
  () => post("/v1/chat/completions", ask("gpt-fake", longText, { stream: true })),
  () => post("/v1/chat/completions", ask("gpt-fake", "Hello")),
  () => post("/v1/chat/completions", ask(functionModel, "Hello", { stream: true })),
  () => post("/v1/chat/completions", ask(functionModel, "Hello")),
  () => post("/v1/responses", { model: "gpt-fake", input: "Hello", stream: true }),
  () => post("/v1/embeddings", { model: "embed-fake", input: longText }),
  () => post("/ollama/api/chat", { ...ask("llama3.2", "Hello"), options: slowly(30) }),
  () => post("/ollama/api/generate", { model: "llama3.2", prompt: longText }),
  () => post("/api/v1/chats/import", { chats: [chat, chat] }),
  (ids) =>
    post(`/api/v1/chats/${ids.pick("chats")}/messages`, {
      content: "Hello",
      models: ["gpt-fake"],
    }),
  (ids) => post(`/api/v1/knowledge/${ids.pick("knowledge")}/query`, { query: "bees" }),
  (ids) => get(`/api/v1/chats/${ids.pick("chats")}/events`),
  () => get("/api/v1/events"),
  () => get("/api/v1/chats/export"),
  (ids) => get(`/api/v1/files/${ids.pick("files")}/content`),
  (ids) => get(`/api/v1/files/${ids.pick("files")}/process/status?stream=true`),
  ...Array.from({ length: 4 }, () => () => ({
    method: "POST",
    path: "/api/v1/files/",
    headers: { "content-type": uploadType },
    body: uploadOf("bees.txt", longText),
  })),
]

/** Excludes operations that change permissions or models: they would break the test itself. */
const isLeftAlone = ({ method, path }: Operation): boolean =>
  method !== "GET" &&
  (/\/(auths|sso|users|groups|connections|settings)\b/.test(path) || method === "DELETE")

interface Deps {
  random: Chooser
  ids: Ids
  document: OpenApi
  /** API key of a user without the administrator role. */
  userKey: string
}

/** Generates requests of all kinds, each with the credential it needs. */
export const createRequestMaker = ({ random, ids, document, userKey }: Deps) => {
  const values = createValues({
    ...{ random, ids, components: document.components, urls: ["http://127.0.0.1:9"] },
    models: ["gpt-fake", "embed-fake", "llama3.2", functionModel],
  })
  const makeRequest = createRequests({ random, ids, values })
  const operations = operationsOf(document).filter((operation) => !isLeftAlone(operation))
  const signed = (parts: WireParts, key: string): WireParts => ({
    ...parts,
    headers: { ...parts.headers, authorization: `Bearer ${key}` },
  })

  const documented = (): WireParts => {
    const operation = random.pick(operations)
    const draft = makeRequest(operation)
    const query = new URLSearchParams(draft.query).toString()
    const parts = {
      method: draft.method,
      path: query === "" ? draft.path : `${draft.path}?${query}`,
      headers: draft.headers,
      body: bytesOf(draft),
    }
    if (operation.isScim) return signed(parts, scimToken)
    return signed(parts, random.chance(0.5) ? userKey : adminKey)
  }

  return (): WireParts =>
    random.chance(0.5) ? documented() : signed(random.pick(longOnes)(ids), userKey)
}
