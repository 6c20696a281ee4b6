import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { claudeModel, image } from "../messages/messages-testbed.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  startResponsesTestbed,
} from "./responses-testbed.ts"

const processed = "?process_in_background=false"
const note = "is no longer available"

describe.each(chooseDatabases())("files of earlier requests on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let testbed: ResponsesTestbed
  let grace: { id: string; key: string }
  let count = 0

  beforeAll(async () => {
    database = await createDatabase()
    testbed = await startResponsesTestbed(database.env)
    grace = await testbed.gateway.createUser("Grace")
  })
  afterEach(() => testbed.reset())
  afterAll(async () => {
    await testbed.stop()
    await database.remove()
  })

  const send = (body: object, key: string) => testbed.send(body, { "x-api-key": key })

  /** Uploads a file, shares it with everybody, and asks about it as `key`. */
  const askAboutShared = async (model: string, key: string) => {
    const { gateway } = testbed
    const { body } = await upload(gateway, "ants.txt", "Secret words.", { query: processed })
    const collection = await createCollection(gateway, `Shared ${++count}`, [body.id])
    const share = (access_grants: object[]) =>
      gateway.call("POST", `/api/v1/knowledge/${collection}/update`, { access_grants })
    await share([{ principal_type: "user", principal_id: "*", permission: "read" }])
    const message = {
      ...{ role: "user", id: `msg_${count}` },
      content: [{ type: "input_file", file_id: body.id }],
    }
    const { status, text } = await send({ model, input: [message] }, key)
    expect(status).toBe(200)
    const previous_response_id: string = JSON.parse(text).id
    return {
      ...{ fileId: body.id as string, collection, message, share },
      continuations: [
        { input: "Go on", previous_response_id },
        { input: [{ type: "item_reference", id: message.id }] },
      ],
    }
  }

  const lastBody = (model: string): string => {
    if (model === nativeModel) return JSON.stringify(testbed.lastNativeBody())
    return JSON.stringify(model === chatModel ? testbed.lastChatBody() : testbed.lastClaudeBody())
  }
  const requestCount = () =>
    [testbed.chat, testbed.openai, testbed.anthropic].reduce(
      (sum, { requests }) => sum + requests.filter(({ method }) => method === "POST").length,
      0,
    )

  const models = [chatModel, nativeModel, claudeModel]

  it.each(models)("leave a note once they are deleted: %s", async (model) => {
    const { fileId, message, continuations } = await askAboutShared(model, grace.key)
    await testbed.gateway.call("DELETE", `/api/v1/files/${fileId}`)
    for (const stream of [false, true])
      for (const continuation of continuations) {
        const { status } = await send({ model, stream, ...continuation }, grace.key)
        expect(status).toBe(200)
        expect(lastBody(model)).toContain(note)
      }
    const compacted = await testbed.gateway.call(
      "POST",
      "/v1/responses/compact",
      { model, ...continuations[0], input: undefined },
      { key: grace.key },
    )
    expect(compacted.status).toBe(200)
    const repeated = { model, ...continuations[0], input: [{ ...message, id: undefined }] }
    const { status, text } = await send(repeated, grace.key)
    expect([status, JSON.parse(text).error]).toMatchObject([
      404,
      { code: "file_not_found", param: "file_id" },
    ])
  })

  it.each(models)("end the conversation once access to them has ended: %s", async (model) => {
    const { collection, share, continuations } = await askAboutShared(model, grace.key)
    const expectRefusals = async () => {
      const before = requestCount()
      for (const stream of [false, true])
        for (const continuation of continuations) {
          const { status, text } = await send({ model, stream, ...continuation }, grace.key)
          expect([status, JSON.parse(text).error]).toMatchObject([
            404,
            { code: "file_not_found", message: expect.stringContaining("no longer have access") },
          ])
        }
      expect(requestCount()).toBe(before)
    }
    await share([])
    await expectRefusals()
    await testbed.gateway.call("DELETE", `/api/v1/knowledge/${collection}/delete`)
    await expectRefusals()
  })

  it("leave a note once their owner's account is deleted", async () => {
    const { gateway } = testbed
    const owner = await gateway.createUser(`Owner${++count}`)
    const { body } = await upload(gateway, "a.txt", "Words.", { key: owner.key, query: processed })
    const input = [{ role: "user", content: [{ type: "input_file", file_id: body.id }] }]
    const first = await testbed.send({ model: chatModel, input })
    const path = `/api/v1/users/${owner.id}?confirm=delete`
    expect((await gateway.call("DELETE", path)).status).toBe(200)
    const previous_response_id = JSON.parse(first.text).id
    const next = await testbed.send({ model: chatModel, input: "Go on", previous_response_id })
    expect(next.status).toBe(200)
    expect(lastBody(chatModel)).toContain(note)
  })

  it("leave a note once the bytes of an image are lost", async () => {
    const { gateway } = testbed
    const { body } = await upload(gateway, "dot.png", Buffer.from(image, "base64"), {
      ...{ query: "?process=false", type: "image/png" },
    })
    const input = [{ role: "user", content: [{ type: "input_image", file_id: body.id }] }]
    const first = await testbed.send({ model: chatModel, input })
    rmSync(join(gateway.dataDir, "objects"), { recursive: true })
    const previous_response_id = JSON.parse(first.text).id
    for (const model of models) {
      const next = await testbed.send({ model, input: "Go on", previous_response_id })
      expect(next.status).toBe(200)
      expect(lastBody(model)).toContain(note)
      const repeated = await testbed.send({ model, input })
      expect([repeated.status, JSON.parse(repeated.text).error]).toMatchObject([
        410,
        { code: "file_lost", param: "file_id" },
      ])
    }
  })

  it.each(["", "/count_tokens"])("must exist in requests to /v1/messages%s", async (path) => {
    const { gateway } = testbed
    const { body } = await upload(gateway, "b.txt", "Words.", { query: processed })
    await gateway.call("DELETE", `/api/v1/files/${body.id}`)
    const source = { type: "file", file_id: body.id }
    const messages = [{ role: "user", content: [{ type: "document", source }] }]
    for (const model of models) {
      const request = { model, max_tokens: 9, messages }
      const answer = await gateway.call("POST", `/v1/messages${path}`, request)
      expect(answer).toMatchObject({ status: 404, body: { error: { type: "not_found_error" } } })
    }
  })
})
