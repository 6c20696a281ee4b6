import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import type OpenAI from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { listenOnLoopback } from "../harness/ports.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { claudeModel, image } from "../messages/messages-testbed.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  startResponsesTestbed,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed
/** What ends the extraction of a file. */
const releases: (() => void)[] = []
const engine = createServer(async (request, response) => {
  await text(request)
  releases.push(() => response.end("Recognized words."))
})

beforeAll(async () => {
  const port = await listenOnLoopback(engine)
  testbed = await startResponsesTestbed({ EXTRACTION_URL: `http://127.0.0.1:${port}` })
})
afterEach(() => testbed.reset())
afterAll(async () => {
  await testbed.stop()
  engine.close()
})

const processed = "?process_in_background=false"
const unprocessed = "?process=false"
const png = Buffer.from(image, "base64")
const pdf = Buffer.from("%PDF-1.4 and so on")

const uploadFile = async (
  filename: string,
  content: string | Uint8Array,
  options: { key?: string; query?: string; type?: string } = {},
): Promise<string> => {
  const { status, body } = await upload(testbed.gateway, filename, content, options)
  expect(status).toBe(200)
  return body.id
}

type Part = OpenAI.Responses.ResponseInputContent
const imagePart = (file_id: string): Part => ({ type: "input_image", file_id, detail: "auto" })
const filePart = (file_id: string): Part => ({ type: "input_file", file_id })

const ask = (model: string, ...content: Part[]) =>
  testbed.client.responses.create({ model, input: [{ role: "user", content }] })

const contentOf = (body: object): unknown => {
  const { messages } = body as { messages: { content: unknown }[] }
  return messages.at(-1)?.content
}

describe("the caller's files", () => {
  it.each(["image/png", "application/octet-stream"])("may be images of type %s", async (type) => {
    const id = await uploadFile("dot.PNG", png, { query: unprocessed, type })
    const url = `data:image/png;base64,${image}`
    await ask(chatModel, imagePart(id))
    expect(contentOf(testbed.lastChatBody())).toEqual([{ type: "image_url", image_url: { url } }])
    await ask(claudeModel, imagePart(id))
    const source = { type: "base64", media_type: "image/png", data: image }
    expect(contentOf(testbed.lastClaudeBody())).toMatchObject([{ type: "image", source }])
    await ask(nativeModel, imagePart(id))
    expect(testbed.lastNativeBody().input).toEqual([
      { role: "user", content: [{ type: "input_image", detail: "auto", image_url: url }] },
    ])
  })

  it("may be PDF documents", async () => {
    const type = "application/pdf"
    const id = await uploadFile("bees.pdf", pdf, { query: unprocessed, type })
    const data = pdf.toString("base64")
    const file = { filename: "bees.pdf", file_data: `data:application/pdf;base64,${data}` }
    await ask(chatModel, filePart(id))
    expect(contentOf(testbed.lastChatBody())).toEqual([{ type: "file", file }])
    await ask(claudeModel, filePart(id))
    const source = { type: "base64", media_type: "application/pdf", data }
    expect(contentOf(testbed.lastClaudeBody())).toMatchObject([{ type: "document", source }])
    await ask(nativeModel, filePart(id))
    expect(testbed.lastNativeBody().input).toEqual([
      { role: "user", content: [{ type: "input_file", ...file }] },
    ])
  })

  it("may be anything of which the gateway has the text", async () => {
    const id = await uploadFile("ants.txt", "Ants follow a trail.", { query: processed })
    const content = "ants.txt\n\nAnts follow a trail."
    await ask(chatModel, filePart(id))
    expect(contentOf(testbed.lastChatBody())).toBe(content)
    await ask(claudeModel, filePart(id))
    expect(contentOf(testbed.lastClaudeBody())).toMatchObject([{ type: "text", text: content }])
    await ask(nativeModel, filePart(id))
    expect(testbed.lastNativeBody().input).toEqual([
      { role: "user", content: [{ type: "input_text", text: content }] },
    ])
  })

  it("may be returned by tools, and are known to later requests", async () => {
    const id = await uploadFile("dot.png", png, { query: unprocessed, type: "image/png" })
    const output = [imagePart(id)] as OpenAI.Responses.ResponseFunctionCallOutputItemList
    const first = await testbed.client.responses.create({
      model: chatModel,
      input: [
        { type: "function_call", call_id: "1", name: "see", arguments: "{}" },
        { type: "function_call_output", call_id: "1", output },
      ],
    })
    expect(JSON.stringify(testbed.lastChatBody())).toContain(image)
    const stored = await testbed.client.responses.inputItems.list(first.id)
    expect(JSON.stringify(stored.data)).toContain(id)
    expect(JSON.stringify(stored.data)).not.toContain(image)
    await testbed.client.responses.create({
      ...{ model: claudeModel, input: "Go on", previous_response_id: first.id },
    })
    expect(JSON.stringify(testbed.lastClaudeBody())).toContain(image)
  })
})

describe("files of others", () => {
  it("do not exist, unless they are shared", async () => {
    const { key } = await testbed.gateway.createUser("Grace")
    const id = await uploadFile("secret.txt", "Secret.", { query: processed })
    const body = { model: chatModel, input: [{ role: "user", content: [filePart(id)] }] }
    const before = testbed.chat.requests.length
    for (const file_id of [id, "0b54b1b0-6c4b-4cfd-8d0c-111111111111"]) {
      const input = [{ role: "user", content: [filePart(file_id)] }]
      const { status, text } = await testbed.send({ ...body, input }, { "x-api-key": key })
      expect(status).toBe(404)
      expect(JSON.parse(text)).toMatchObject({
        error: { code: "file_not_found", param: "file_id", type: "invalid_request_error" },
      })
    }
    expect(testbed.chat.requests).toHaveLength(before)
    const collection = await createCollection(testbed.gateway, "Shared", [id])
    await testbed.gateway.call("POST", `/api/v1/knowledge/${collection}/update`, {
      access_grants: [{ principal_type: "user", principal_id: "*", permission: "read" }],
    })
    const shared = await testbed.send(body, { "x-api-key": key })
    expect([shared.status, shared.text]).toEqual([200, expect.stringContaining("Secret.")])
  })

  it.each([chatModel, claudeModel])("of the provider are unknown to %s", async (model) => {
    const response = ask(model, filePart("file-abc123"))
    await expect(response).rejects.toMatchObject({
      ...{ status: 400, code: "unsupported_by_model", param: "input" },
    })
  })

  it("of the provider are left to it", async () => {
    await ask(nativeModel, filePart("file-abc123"), imagePart("file-def456"))
    expect(testbed.lastNativeBody().input).toMatchObject([
      { content: [{ file_id: "file-abc123" }, { file_id: "file-def456" }] },
    ])
  })
})

describe("a file", () => {
  it("that is still being processed is waited for", async () => {
    const id = await uploadFile("scan.png", png, { type: "application/x-scan" })
    const response = ask(chatModel, filePart(id))
    await expect.poll(() => releases.length).toBe(1)
    releases[0]?.()
    expect((await response).output_text).toContain("Recognized words.")
  })

  it("that is waited for does not keep a removed model available", async () => {
    const model = "removed"
    const fields = { id: model, name: "Removed", base_model_id: nativeModel }
    await testbed.gateway.call("POST", "/api/v1/models/create", fields)
    await waitForModels(testbed.gateway, [model])
    const started = releases.length
    // Extraction is shared by files with the same contents.
    const scan = Buffer.concat([png, Buffer.from(model)])
    const id = await uploadFile("scan.png", scan, { type: "application/x-scan" })
    const input = [{ role: "user", content: [filePart(id)] }]
    const response = testbed.send({ model, input })
    await expect.poll(() => releases.length).toBeGreaterThan(started)
    await expect.poll(() => testbed.gateway.gateway.inFlight.count()).toBeGreaterThan(0)
    const path = "/api/v1/models/model/delete"
    expect((await testbed.gateway.call("POST", path, { id: model })).status).toBe(200)
    releases.at(-1)?.()
    expect((await response).status).toBe(404)
  })

  it.each([
    ["is not an image", "a.txt", "Text", processed, "not an image", 400],
    ["was not processed", "b.txt", "Text", unprocessed, "Process it first", 409],
    ["cannot be read", "c.zip", "PK\u0003\u0004 and so on", processed, "cannot be read", 422],
  ])("that %s is rejected", async (what, filename, content, query, message, status) => {
    const id = await uploadFile(filename, content, { query })
    const part = what === "is not an image" ? imagePart(id) : filePart(id)
    await expect(ask(chatModel, part)).rejects.toMatchObject({
      ...{ status, param: "file_id", message: expect.stringContaining(message) },
    })
  })

  it("that is too large is rejected, also together with others", async () => {
    const options = { query: unprocessed, type: "image/png" }
    const half = await uploadFile("half.png", Buffer.alloc(6_000_000, 1), options)
    const whole = await uploadFile("whole.png", Buffer.alloc(11_000_000, 1), options)
    for (const ids of [[whole], [half, half]]) {
      await expect(ask(chatModel, ...ids.map(imagePart))).rejects.toMatchObject({
        ...{ status: 413, param: "file_id", message: expect.stringContaining("10 MB") },
      })
    }
    expect((await ask(nativeModel, imagePart(half))).status).toBe("completed")
  })
})

describe("many references", () => {
  it.each([chatModel, nativeModel, claudeModel])(
    "to one small file are refused by %s before it is asked",
    async (model) => {
      const id = await uploadFile("tiny.txt", "x", { query: processed })
      const content = Array.from({ length: 101 }, () => filePart(id))
      const before = testbed.chat.requests.length
      const body = { model, store: false, input: [{ role: "user", content }] }
      const { status, text } = await testbed.send(body)
      expect(status).toBe(400)
      expect(JSON.parse(text).error).toMatchObject({
        ...{ param: "file_id", message: expect.stringContaining("at most 100 files") },
      })
      expect(testbed.chat.requests).toHaveLength(before)
      expect((await ask(model, ...content.slice(1))).status).toBe("completed")
    },
  )

  it("in a stored item count each time the item is referred to", async () => {
    const id = await uploadFile("tiny.txt", "x", { query: processed })
    const item = { role: "user", id: "msg_with_file", content: [filePart(id)] }
    await testbed.send({ model: chatModel, input: [item] })
    const reference = { type: "item_reference", id: "msg_with_file" }
    const input = Array.from({ length: 101 }, () => reference)
    const { status, text } = await testbed.send({ model: chatModel, store: false, input })
    expect([status, JSON.parse(text).error.param]).toEqual([400, "file_id"])
  })
})

describe("a file that was deleted", () => {
  it("leaves a note in the conversation, but cannot be named again", async () => {
    const id = await uploadFile("gone.txt", "Soon gone.", { query: processed })
    const first = await ask(chatModel, filePart(id))
    await testbed.gateway.call("DELETE", `/api/v1/files/${id}`)
    const previous_response_id = first.id
    for (const model of [chatModel, claudeModel, nativeModel]) {
      const next = { model, input: "Go on", previous_response_id }
      expect((await testbed.client.responses.create(next)).status).toBe("completed")
    }
    expect(JSON.stringify(testbed.lastChatBody())).toContain("is no longer available")
    await expect(
      testbed.client.responses.create({
        ...{ model: chatModel, previous_response_id },
        input: [{ role: "user", content: [filePart(id)] }],
      }),
    ).rejects.toMatchObject({ status: 404, code: "file_not_found" })
  })
})
