import { pino } from "pino"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createApp } from "../../src/app.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

/** A valid ID that does not exist. */
const missingId = "0197a0b0-0000-7000-8000-000000000000"

let gateway: TestGateway
let closeAll: () => Promise<unknown>
const ids = { file: "", collection: "", upload: "", own: "" }
let key = ""

/** For each route, a valid body. */
const bodies: Record<string, unknown> = {
  "POST /api/v1/files/:id/transfer": { transfer_to: "lamp@example.com" },
  "POST /api/v1/files/:id/passages/locate": { text: "Moths fly" },
  "POST /api/v1/knowledge/:id/transfer": { transfer_to: "lamp@example.com" },
  "POST /api/v1/knowledge/:id/update": { name: "x" },
  "POST /api/v1/knowledge/:id/query": { query: "moths" },
  "POST /api/v1/knowledge/:id/file/add": () => ({ file_id: ids.file }),
  "POST /api/v1/knowledge/:id/file/remove": () => ({ file_id: ids.file }),
  "POST /api/v1/knowledge/:id/files/batch/add": () => [{ file_id: ids.file }],
  "POST /api/v1/knowledge/:id/questions": () => ({ question: "Why?", file_id: ids.file }),
  "POST /api/v1/knowledge/:id/questions/import": {
    questions: [{ question: "Why?", filename: "moths.txt" }],
  },
  "POST /api/v1/knowledge/:id/questions/:question_id/update": { question: "Why?" },
}
const headers = {
  "tus-resumable": "1.0.0",
  "upload-offset": "0",
  "x-http-method-override": "PATCH",
  "content-type": "application/offset+octet-stream",
}

beforeAll(async () => {
  const upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  closeAll = () => Promise.all([gateway.stop(), upstream.close()])
  await waitForModels(gateway, ["gpt-fake"])
  const wait = "?process_in_background=false"
  const { body } = await upload(gateway, "moths.txt", "Moths fly towards the lamp.", {
    query: wait,
  })
  ids.file = body.id
  ids.collection = await createCollection(gateway, "Moths", [body.id])
  const started = await fetch(`${gateway.url}/api/v1/files/resumable`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${adminKey}`,
      "tus-resumable": "1.0.0",
      "upload-length": "9",
    },
  })
  ids.upload = started.headers.get("location")?.split("/").at(-1) ?? ""
  key = (await gateway.createUser("Mia")).key
  ids.own = await createCollection(gateway, "Mine", [], key)
})
afterAll(() => closeAll())

const reply = async (method: string, path: string, body?: unknown) => {
  const isBytes = path.includes("/resumable/")
  const answer = await fetch(gateway.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(isBytes && headers) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(isBytes && method !== "GET" && method !== "HEAD" && { body: "Some moth" }),
  })
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    text: await answer.text(),
  }
}

const hiddenId = (path: string): string => {
  if (path.startsWith("/api/v1/knowledge")) return ids.collection
  return path.includes("/resumable") ? ids.upload : ids.file
}

it("returns the same for inaccessible as for missing files, on every route with an ID", async () => {
  const all = createApp(gateway.gateway, pino({ enabled: false })).routes
  const naming = all.filter(
    ({ path }) => /^\/api\/v1\/(files|knowledge)\//.test(path) && path.includes(":id"),
  )
  expect(naming.length).toBeGreaterThan(18)
  for (const { method, path } of naming) {
    const template = bodies[`${method} ${path}`]
    const body = typeof template === "function" ? template() : template
    const methods = method === "GET" ? ["GET", "HEAD"] : [method]
    for (const one of methods) {
      const hidden = await reply(one, path.replace(":id", hiddenId(path)), body)
      expect(hidden, `${one} ${path}`).toEqual(
        await reply(one, path.replace(":id", missingId), body),
      )
      expect(hidden.status, `${one} ${path}`).toBe(404)
    }
  }
})

it("returns the same when such a file is added to the user's own collection", async () => {
  const path = `/api/v1/knowledge/${ids.own}`
  for (const [to, bodyOf] of [
    ["/file/add", (file_id: string) => ({ file_id })],
    ["/files/batch/add", (file_id: string) => [{ file_id }]],
    ["/file/remove", (file_id: string) => ({ file_id })],
  ] as const) {
    const hidden = await reply("POST", path + to, bodyOf(ids.file))
    expect(hidden, to).toEqual(await reply("POST", path + to, bodyOf(missingId)))
    expect(hidden.status, to).toBe(404)
  }
})

it("returns the same in chats, and excludes inaccessible files from lists and counts", async () => {
  const messages = [{ role: "user", content: "Where do moths fly?" }]
  for (const path of [
    "/api/chat/completions",
    "/v1/chat/completions",
    "/api/v1/chat/completions",
  ]) {
    for (const type of ["file", "collection"] as const) {
      const ask = (id: string) =>
        reply("POST", path, { model: "gpt-fake", messages, files: [{ type, id }] })
      const hidden = await ask(ids[type])
      const missing = await ask(missingId)
      expect(hidden.status).toBe(404)
      expect({ ...hidden, text: hidden.text.replaceAll(ids[type], missingId) }).toEqual(missing)
    }
  }
  expect(JSON.parse((await reply("GET", "/api/v1/files")).text)).toEqual({ items: [], total: 0 })
  const lists = JSON.parse((await reply("GET", "/api/v1/knowledge")).text)
  expect(lists.items.map(({ id }: { id: string }) => id)).toEqual([ids.own])
})
