import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import {
  completionText,
  fetchLastRun,
  requestCompletion,
  saveFunction,
} from "../functions/function-client.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { uploadTexts } from "../knowledge/collections.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const secret = "The codeword of the railway is swordfish."

/** Calls the operation that the last message names, with the ids that it names. */
const reader = `export const reply = async (request, context) => {
  const { operation, file, collection } = JSON.parse(request.messages.at(-1).content)
  const operations = {
    search: () => context.search([collection], "codeword of the railway"),
    "files.text": () => context.files.text(file),
    user: () => context.user,
    "files.list": () => context.files.list(),
    chat: () => context.chat({ model: "echo", messages: request.messages, files: [{ type: "collection", id: collection }] }),
    "chat with a model": () => context.chat({ model: "informed", messages: request.messages }),
  }
  try {
    return JSON.stringify(await operations[operation]())
  } catch (error) {
    return "refused: " + error.message
  }
}`

const echo = `export const reply = (request) => JSON.stringify(request.messages)`

describe.each(chooseDatabases())("a function called with a service key on $name", (database) => {
  let gateway: TestGateway
  let member: { id: string; key: string }
  let key: { id: string; api_key: string }
  let file: string | undefined
  let collection: string

  const admin = async (method: string, path: string, body?: object) => {
    const reply = await gateway.call(method, path, body)
    expect([path, reply.status]).toEqual([path, 200])
    return reply.body
  }
  const askReader = async (operation: string, asker: string): Promise<string> => {
    const content = JSON.stringify({ operation, file, collection })
    return completionText(await requestCompletion(gateway, "reader", { key: asker, content }))
  }

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(database.createDatabase, { EMBEDDING_MODEL: "none" })
    member = await gateway.createUser("Member")
    const group = await admin("POST", "/api/v1/groups/create", { name: "Reports" })
    await admin("POST", `/api/v1/groups/${group.id}/members/add`, { user_ids: [member.id] })
    key = await admin("POST", `/api/v1/groups/${group.id}/keys`, { name: "Nightly report" })
    ;[file] = await uploadTexts(gateway, [["secret.md", secret]])
    const access_grants = [{ principal_type: "group", principal_id: group.id, permission: "read" }]
    const shared = { name: "Shared", access_grants }
    collection = (await admin("POST", "/api/v1/knowledge/create", shared)).id
    await admin("POST", `/api/v1/knowledge/${collection}/file/add`, { file_id: file })
    await saveFunction(gateway, "reader", reader)
    await saveFunction(gateway, "echo", echo)
    const meta = { knowledge: [{ id: collection, type: "collection" }] }
    const model = { id: "informed", name: "Informed", base_model_id: "echo", meta, access_grants }
    await admin("POST", "/api/v1/models/create", model)
  })
  afterAll(() => gateway.stop())

  it.each(["search", "files.text", "chat"])(
    "reads by %s nothing that is shared with its group, though members do",
    async (operation) => {
      expect(await askReader(operation, member.key)).toContain("swordfish")
      expect(await askReader(operation, key.api_key)).toMatch(/^refused: .*service key/)
    },
  )

  it("lists no files", async () => {
    expect(await askReader("files.list", key.api_key)).toBe("[]")
  })

  it("gets the key as the user, and its run is recorded as nobody's", async () => {
    const user = JSON.parse(await askReader("user", key.api_key))
    expect(user).toMatchObject({ id: key.id, name: "Nightly report", email: "", role: "user" })
    await expect.poll(async () => (await fetchLastRun(gateway, "reader")).user_id).toBe("")
    await askReader("user", member.key)
    await expect.poll(async () => (await fetchLastRun(gateway, "reader")).user_id).toBe(member.id)
  })

  it("gets what is attached to a model", async () => {
    expect(await askReader("chat with a model", key.api_key)).toContain("swordfish")
  })
})
