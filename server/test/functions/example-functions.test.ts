import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  completionText,
  fetchLastRun,
  requestCompletion,
  runTrial,
  saveFunction,
} from "./function-client.ts"

const folder = join(import.meta.dirname, "../../src/functions/examples")
const example = (id: string): string => readFileSync(join(folder, `${id}.ts`), "utf8")

describe("a fresh installation", () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), "portico-guide-"))
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway({ INSTALL_GUIDE: "true", DATA_DIR })
  })
  afterAll(async () => {
    await gateway.stop()
    rmSync(DATA_DIR, { recursive: true })
  })

  it("offers the Guide to everyone, even without a runtime or provider", async () => {
    const { key } = await gateway.createUser("Grace")
    const { body } = await gateway.call("GET", "/api/models", undefined, { key })
    expect(body.data).toMatchObject([{ id: "guide", name: "Guide", owned_by: "function" }])
  })

  it("answers questions about the gateway with verbatim, cited quotes from the handbook", async () => {
    const { key } = await gateway.createUser("Alan")
    const answer = await requestCompletion(gateway, "guide", {
      content: "How do I create an API key?",
      key,
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const text = completionText(answer)
    const { sources } = answer.body
    expect(text).toContain("[1]")
    expect(sources[0].source).toMatchObject({ name: "Getting started", type: "file" })
    const [first] = text.split("[2]")
    const quoteLines = first?.match(/^> (.*)$/gm)?.map((line) => line.slice(2)) ?? []
    expect(quoteLines.length).toBeGreaterThan(1)
    for (const line of quoteLines) expect(sources[0].document[0]).toContain(line)
    expect(quoteLines.join(" ")).toContain("The key is shown once")
    const cited = [...text.matchAll(/\[(\d+)\]$/gm)].map(([, number]) => Number(number))
    expect(cited).toEqual(sources.map((_: unknown, index: number) => index + 1))
  })

  it("says when the handbook has no answer, and suggests questions", async () => {
    const none = completionText(
      await requestCompletion(gateway, "guide", { content: "qwertz uiop asdf" }),
    )
    expect(none).toContain("I found nothing about that")
    expect(completionText(await requestCompletion(gateway, "guide", { content: "hi" }))).toContain(
      "For example",
    )
  })

  it("does not reinstall the Guide after it was deleted", async () => {
    await gateway.call("DELETE", "/api/v1/functions/id/guide/delete")
    await gateway.stop()
    gateway = await startGateway({ INSTALL_GUIDE: "true", DATA_DIR })
    expect((await gateway.call("GET", "/api/v1/functions")).body.total).toBe(0)
  })
})

it("installs the Guide as it validates today", async () => {
  const gateway = await startGateway()
  try {
    const { code, manifest } = await gateway.gateway.functions.check.validateOrFail(
      example("guide"),
    )
    // After a change to the Guide, `npm test -- server/test/functions/example-functions -u` writes it.
    await expect(`${JSON.stringify({ code, manifest }, null, 2)}\n`).toMatchFileSnapshot(
      join(folder, "guide.validated.json"),
    )
  } finally {
    await gateway.stop()
  }
})

describe("the example", () => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let service: { url: string; host: string; close: () => void }
  const serviceRequests: { headers: Record<string, unknown>; body: Record<string, unknown> }[] = []

  beforeAll(async () => {
    upstream = await startFakeOpenAI({ apiKey: "up-key", models: ["small", "large", "seer"] })
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      serviceRequests.push({
        headers: request.headers,
        body: JSON.parse(String(Buffer.concat(parts))),
      })
      const isAuthorized = request.headers.authorization === "Bearer service-key"
      response.statusCode = isAuthorized ? 200 : 401
      response.end(JSON.stringify({ result: { text: "The tide turns at six." } }))
    })
    const host = `127.0.0.1:${await listenOnLoopback(server)}`
    service = { url: `http://${host}/ask`, host, close: () => server.close() }
    gateway = await startGateway({
      OPENAI_API_BASE_URLS: upstream.url,
      OPENAI_API_KEYS: "up-key",
      FUNCTION_NETWORKS: "127.0.0.0/8",
    })
    await waitForModels(gateway, ["small"])
  })
  afterEach(() => upstream.clearFaults())
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    service.close()
  })

  const saveSettings = (id: string, values: object) =>
    gateway.call("POST", `/api/v1/functions/id/${id}/valves`, { values })
  /** Log of the last run, once it contains `text`. */
  const waitForLog = async (id: string, text: string): Promise<string> => {
    const readLog = async () => JSON.stringify((await fetchLastRun(gateway, id))?.log ?? [])
    await expect.poll(readLog, { timeout: 10_000 }).toContain(text)
    return readLog()
  }
  const lastUpstreamRequest = () =>
    upstream.requests.findLast(({ path }) => path.endsWith("/chat/completions"))?.json as {
      model: string
      messages: { role: string; content: string }[]
    }

  it("Router fails until it is configured, then selects a model by the content of each request", async () => {
    await saveFunction(gateway, "router", example("router"))
    expect((await requestCompletion(gateway, "router")).status).toBe(502)
    await saveSettings("router", {
      usual: "small",
      long: "large",
      long_from: 500,
      pictures: "seer",
      languages: "de = large\nja = seer",
    })
    const chosenModel = async (content: unknown): Promise<string> => {
      const messages = [{ role: "user", content }]
      const reply = await gateway.call("POST", "/v1/chat/completions", {
        model: "router",
        messages,
      })
      expect(reply.status, JSON.stringify(reply.body)).toBe(200)
      return lastUpstreamRequest().model
    }
    expect(await chosenModel("What is the tide at Brest?")).toBe("small")
    expect(await chosenModel("Wie hoch ist das Wasser und wann kommt die Flut?")).toBe("large")
    expect(await chosenModel("潮はいつ満ちますか")).toBe("seer")
    expect(await chosenModel("tide ".repeat(200))).toBe("large")
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
    expect(await chosenModel([{ type: "text", text: "What is this?" }, picture])).toBe("seer")
    await waitForLog("router", "seer (pictures)")
  })

  it("Redact masks secrets and personal data, and leaves other text unchanged", async () => {
    await saveFunction(gateway, "redact", example("redact"), { filter_models: ["small"] })
    await saveSettings("redact", { more: "\\bCUST-\\d{6}\\b" })
    const secret = `sk-${"a1B2".repeat(8)}`
    const content = [
      "Write to ada@example.com and grace@example.org, or ada@example.com again.",
      "Card 4111 1111 1111 1111, no card 4111 1111 1111 1112, order 1234567890123.",
      `key ${secret}, password: hunter2hunter, Bearer abcdefghijklmnop, CUST-123456`,
    ].join("\n")
    const reply = await requestCompletion(gateway, "small", { content })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    const sent = lastUpstreamRequest().messages.at(-1)?.content ?? ""
    expect(sent).toContain("Write to [e-mail 1] and [e-mail 2], or [e-mail 1] again.")
    expect(sent).toContain("Card [card 1], no card 4111 1111 1111 1112, order 1234567890123.")
    for (const hidden of [secret, "hunter2hunter", "abcdefghijklmnop", "CUST-123456"]) {
      expect(sent).not.toContain(hidden)
    }
    expect(await waitForLog("redact", "masked")).not.toContain("hunter2")
    const others = await requestCompletion(gateway, "large", { content: "ada@example.com" })
    expect(completionText(others)).toContain("ada@example.com")
  })

  it("Redact also masks message parts, tool calls and tool results", async () => {
    const { eventsNamed } = await runTrial(gateway, "redact", {
      request: {
        messages: [
          { role: "user", content: [{ type: "text", text: "ada@example.com" }] },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ function: { name: "mail", arguments: '{"to":"ada@example.com"}' } }],
          },
          { role: "tool", tool_call_id: "1", content: "sent to ada@example.com" },
        ],
      },
    })
    const [data] = eventsNamed("request").map((event) => event.data)
    expect(JSON.stringify(data)).not.toContain("ada@")
    expect(JSON.stringify(data).match(/\[e-mail 1\]/g)).toHaveLength(3)
  })

  it("Proxy authenticates to a service with its secret, and reports when the service rejects it", async () => {
    await saveFunction(gateway, "proxy", example("proxy"), { hosts: [service.host] })
    await saveSettings("proxy", { url: service.url, key: "service-key", answer: "result.text" })
    const reply = await requestCompletion(gateway, "proxy", { content: "When does the tide turn?" })
    expect(completionText(reply)).toBe("The tide turns at six.")
    expect(serviceRequests.at(-1)?.body).toEqual({ question: "When does the tide turn?" })
    const { body } = await gateway.call("GET", "/api/v1/functions/id/proxy/valves")
    expect(JSON.stringify(body)).not.toContain("service-key")
    await saveSettings("proxy", { key: "wrong" })
    const refused = await requestCompletion(gateway, "proxy")
    expect([refused.status, refused.body.error.message]).toEqual([
      502,
      expect.stringContaining("The service responded with status 401"),
    ])
  })

  it("Panel asks all its members, and lets one model write the answer from their replies", async () => {
    await saveFunction(gateway, "panel", example("panel"))
    await saveSettings("panel", { members: "large\nseer\nnot-there", writer: "small" })
    upstream.requests.length = 0
    const reply = await requestCompletion(gateway, "panel", { content: "When does the tide turn?" })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    const models = upstream.requests.flatMap(
      ({ json }) => (json as { model?: string })?.model ?? [],
    )
    expect(models.sort()).toEqual(["large", "seer", "small"])
    const written = lastUpstreamRequest()
    expect(written.model).toBe("small")
    expect(written.messages[0]?.content).toContain("Answer 1:\nYou said: When does the tide turn?")
    expect(completionText(reply)).toContain("You said")
    await waitForLog("panel", "not-there did not answer")
  })
})
