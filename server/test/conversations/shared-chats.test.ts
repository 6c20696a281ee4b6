import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import { createChatClient } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

const maxChats = 8

describe.each(chooseDatabases())("a shared chat on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let stop: () => Promise<void>
  let grace: ReturnType<typeof createChatClient>
  let linus: ReturnType<typeof createChatClient>
  let graceKey: string
  let linusId: string

  beforeAll(async () => {
    ;({ gateway, stop } = await startChatTestbed(createDatabase, { MAX_CHATS: String(maxChats) }))
    ;({ key: graceKey } = await gateway.createUser("Grace"))
    grace = createChatClient(gateway, graceKey)
    const reader = await gateway.createUser("Linus")
    linusId = reader.id
    linus = createChatClient(gateway, reader.key)
  })
  afterAll(() => stop())

  it("tells readers its owner's name, and nothing else about the owner", async () => {
    const id = await grace.createChat()
    await grace.sendMessage(id, { content: "Hello" })
    await grace.call("POST", `/${id}/share`, { shared: true })
    const { body } = await linus.call("GET", `/${id}`)
    expect(body).toMatchObject({ owner_name: "Grace", writable: false })
    expect(JSON.stringify(body)).not.toContain("grace@example.com")
    expect((await grace.call("GET", `/${id}`)).body).not.toHaveProperty("owner_name")
  })

  const png =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  /** A chat of Grace's with an image, two of her files, one of which everybody may read. */
  const shareChat = async () => {
    const options = { key: graceKey, query: "?process_in_background=false" }
    const texts = { "open.md": "The open file tells of tides.", "secret.md": "Secret keys." }
    const [open, secret] = await Promise.all(
      Object.entries(texts).map(async ([name, text]) => {
        const { body } = await upload(gateway, name, text, options)
        return String(body.id)
      }),
    )
    const id = await grace.createChat({ system: "Only Grace knows", folder: "Hers", tags: ["own"] })
    const files = [open, secret].map((file) => ({ type: "file", id: file }))
    await grace.sendMessage(id, { content: "What of tides and keys?", images: [png], files })
    await grace.call("POST", `/${id}/share`, { shared: true })
    return { id, open }
  }

  it("can be continued by a reader in a copy, with what the reader may read", async () => {
    const { id, open } = await shareChat()
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    const made = { name: "Tides", access_grants }
    const { body: collection } = await gateway.call("POST", "/api/v1/knowledge/create", made, {
      key: graceKey,
    })
    const path = `/api/v1/knowledge/${collection.id}/file/add`
    const added = await gateway.call("POST", path, { file_id: open }, { key: graceKey })
    expect(added.status).toBe(200)
    const copied = await linus.call("POST", `/${id}/copy`)
    expect(copied.status).toBe(200)
    expect(copied.body).toMatchObject({ system: "", folder: null, tags: [], shared: false })
    expect(copied.body.id).not.toBe(id)
    const { body } = await linus.call("GET", `/${copied.body.id}`)
    expect(body).toMatchObject({ writable: true, user_id: linusId })
    const [question, answer] = body.messages
    expect(question.content).toBe("What of tides and keys?")
    expect(question.files.map((file: { id: string }) => file.id)).toEqual([open])
    expect(answer.parent_id).toBe(question.id)
    expect(JSON.stringify(body)).not.toMatch(/secret|Secret|Only Grace/)
    const image = await linus.call("GET", `/${copied.body.id}/images/${question.images[0].id}`)
    expect(image.status).toBe(200)
    const [, next] = await linus.sendMessage(copied.body.id, { content: "And now?" })
    expect(next.state).toBe("completed")

    const own = await grace.call("POST", `/${id}/copy`)
    const ownCopy = await grace.call("GET", `/${own.body.id}`)
    expect(ownCopy.body.messages[0].files).toHaveLength(2)
    expect((await grace.call("GET", `/${id}`)).body.messages).toHaveLength(2)
  })

  it("cannot be copied by those who may not read it, or beyond their limits", async () => {
    const { id } = await shareChat()
    await grace.call("POST", `/${id}/share`, { shared: false })
    expect((await linus.call("POST", `/${id}/copy`)).status).toBe(404)
    await grace.call("POST", `/${id}/share`, { shared: true })
    const { body } = await linus.call("GET", "/?page_size=1")
    for (let chats = body.total; chats < maxChats; chats++) await linus.createChat()
    expect(await linus.call("POST", `/${id}/copy`)).toMatchObject({
      status: 409,
      body: { code: "limit_reached" },
    })
  })
})
