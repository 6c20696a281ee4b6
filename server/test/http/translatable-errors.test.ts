import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { serverMessages } from "../../../web/src/i18n/de/server-messages.ts"
import { translateMessage } from "../../../web/src/i18n/server-messages.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const name = `<b>"Bees"</b> \${name} {name} $& %s 🐝`

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  gateway = await startGateway()
  await gateway.call("POST", "/api/v1/connections/create", {
    kind: "openai",
    name,
    base_url: upstream.url,
  })
  await waitForModels(gateway, ["gpt-fake"])
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

describe("errors", () => {
  it("of the gateway's own API have an ID and what they quote", async () => {
    await gateway.call("POST", "/api/v1/groups/create", { name })
    const { body } = await gateway.call("POST", "/api/v1/groups/create", { name })
    expect(body).toEqual({
      detail: `A group named ${name} already exists. Choose another name.`,
      code: "conflict",
      id: "group_exists",
      values: { name },
    })
  })

  it("of fields have an ID each", async () => {
    const person = { name: " ", email: "nobody", password: "short" }
    const { body } = await gateway.call("POST", "/api/v1/auths/add", person)
    expect(body.id).toBeUndefined()
    expect(body.errors).toEqual(
      expect.arrayContaining([
        { path: "name", message: "Enter a name.", id: "name_required", values: {} },
        {
          path: "password",
          message: "Use at least 8 characters.",
          id: "field_too_few_characters",
          values: { min: 8 },
        },
      ]),
    )
  })

  it("have short values, like their texts", async () => {
    const { body } = await gateway.call("POST", "/api/v1/models/create", {
      id: "bees",
      name: "Bees",
      base_model_id: "x".repeat(290),
    })
    const [error] = body.errors
    expect(error.id).toBe("model_not_found")
    expect(error.values.id.length).toBeLessThan(210)
  })

  it("in the format of another API have them in a header", async () => {
    upstream.injectFault({ kind: "reset" }, { on: /chat/ })
    const reply = await gateway.call("POST", "/v1/chat/completions", {
      model: "gpt-fake",
      messages: [{ role: "user", content: "Hello" }],
    })
    upstream.clearFaults()
    const message = `The provider "${name}" closed the connection before responding.`
    const code = "upstream_unreachable"
    const error = { message, type: "server_error", param: null, code }
    expect(reply.body).toEqual({ error, detail: message })
    const reference = JSON.parse(reply.headers.get("x-portico-message") ?? "")
    expect(translateMessage(reference, serverMessages)).toBe(
      `Der Anbieter „${name}“ hat die Verbindung vor der Antwort geschlossen.`,
    )
  })

  it("of files are stored with the messages that they quote", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
    const { body } = await upload(gateway, "bees.png", png, { query: "?process=false" })
    const repeated = await gateway.call("POST", `/api/v1/files/${body.id}/process`)
    expect(repeated.body.data.error_reference).toBeNull()
    const read = async () => (await gateway.call("GET", `/api/v1/files/${body.id}`)).body.data
    await expect.poll(async () => (await read()).status).toBe("failed")
    expect(await read()).toMatchObject({
      error: "This file is a PNG image, which holds no text.",
      error_reference: {
        id: "document_has_no_text",
        values: { type: { id: "png_image", values: {} } },
      },
    })
  })
})
