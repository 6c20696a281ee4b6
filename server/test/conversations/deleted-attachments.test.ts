import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { FakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { adminKey, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { createChatClient } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

const query = "?process_in_background=false"
const content = "How do ants find food?"

describe.each(chooseDatabases())("a question with files on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let stop: () => Promise<void>

  beforeAll(async () => {
    ;({ gateway, upstream, stop } = await startChatTestbed(createDatabase))
  })
  afterAll(() => stop())

  const uploadText = async (filename: string, text: string): Promise<string> =>
    (await upload(gateway, filename, text, { query })).body.id

  it.each(["file", "collection"])(
    "is answered again after its %s was deleted, with a note for the model",
    async (type) => {
      const ada = createChatClient(gateway, adminKey)
      const file = await uploadText("ants.txt", "Ants follow a trail.")
      const collection = await createCollection(gateway, `With ${type}`, [file])
      const attached = { type, id: type === "file" ? file : collection }
      const kept = { type: "file", id: await uploadText("bees.txt", "Bees dance.") }
      const id = await ada.createChat()
      const [user] = await ada.sendMessage(id, { content, files: [attached, kept] })
      const path = type === "file" ? `files/${file}` : `knowledge/${collection}/delete`
      expect((await gateway.call("DELETE", `/api/v1/${path}`)).status).toBe(200)

      const [second] = await ada.sendMessage(id, { parent_id: user.id })
      expect(second).toMatchObject({ state: "completed", sources: [{ name: "bees.txt" }] })
      expect(JSON.stringify(upstream.requests.at(-1)?.json)).toContain("is no longer available")

      const refused = await ada.call("POST", `/${id}/messages`, { content, files: [attached] })
      expect(refused).toMatchObject({ status: 404, body: { code: `${type}_not_found` } })
    },
  )

  it("is not answered again once the user may no longer read its file", async () => {
    const other = await gateway.createUser("Eve")
    const eve = createChatClient(gateway, other.key)
    const file = await uploadText("wasps.txt", "Wasps chew wood.")
    const shared = await createCollection(gateway, "Shared", [file])
    const shareWith = (access_grants: object[]) =>
      gateway.call("POST", `/api/v1/knowledge/${shared}/update`, { access_grants })
    await shareWith([{ principal_type: "user", principal_id: other.id, permission: "read" }])
    const id = await eve.createChat()
    const [user] = await eve.sendMessage(id, { content, files: [{ type: "file", id: file }] })
    await shareWith([])
    const [second] = await eve.sendMessage(id, { parent_id: user.id })
    const error = { code: "file_not_found" }
    expect(second).toMatchObject({ state: "failed", content: "", error })
  })
})
