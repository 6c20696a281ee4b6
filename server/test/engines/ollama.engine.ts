import { createHash } from "node:crypto"
import { createReadStream, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import type { Ollama } from "ollama"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hashFile } from "../../src/files/object-store.ts"
import { collectItems as gather } from "../fakes/collect.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { readUsageRecords, waitFor } from "../harness/usage-records.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { runInstaller } from "./install.ts"
import { miniLmFiles, type OllamaTestbed, ollamaVersion, startOllamaTestbed } from "./ollama.ts"

const slow = { num_predict: 20_000, num_thread: 1 }
const short = { num_predict: 12, num_thread: 1 }
describe(`Ollama ${ollamaVersion}`, () => {
  let world: OllamaTestbed
  let gateway: TestGateway
  let admin: Ollama
  let user: Ollama
  let userKey = ""
  let proxied: OllamaTestbed["proxied"]

  beforeAll(async () => {
    world = await startOllamaTestbed()
    ;({ gateway, admin, user, userKey, proxied } = world)
  })
  afterAll(() => world?.close())

  const push = async (path: string): Promise<string> => {
    const digest = `sha256:${(await hashFile(path)).hash}`
    const init = {
      method: "POST",
      body: Readable.toWeb(createReadStream(path)),
      duplex: "half",
      headers: { "content-length": String(statSync(path).size) },
    }
    expect((await proxied(`/api/blobs/${digest}`, init)).status).toBe(201)
    return digest
  }

  it("reports its version", async () => {
    expect(await (await proxied("/api/version", {}, userKey)).json()).toEqual({
      version: ollamaVersion,
    })
    expect(await (await proxied("/", {}, userKey)).text()).toBe("Ollama is running")
  })

  it("accepts and verifies a blob from an administrator, but not from a user", async () => {
    const digest = `sha256:${(await hashFile(world.gguf)).hash}`
    const head = async () => (await proxied(`/api/blobs/${digest}`, { method: "HEAD" })).status
    expect(await head()).toBe(404)
    expect(await push(world.gguf)).toBe(digest)
    expect(await head()).toBe(200)
    const bytes = new Uint8Array(readFileSync(world.gguf))
    const wrong = `sha256:${createHash("sha256").update("else").digest("hex")}`
    const refused = await proxied(`/api/blobs/${wrong}`, { method: "POST", body: bytes })
    expect(refused.status).toBe(400)
    const users = await proxied(`/api/blobs/${wrong}`, { method: "POST", body: bytes }, userKey)
    expect(users.status).toBe(403)
  })

  it("creates a model from a GGUF file, with progress", async () => {
    const { hash } = await hashFile(world.gguf)
    const requested = {
      model: "tiny",
      files: { "tiny.gguf": `sha256:${hash}` },
      template: "{{ .System }} {{ .Prompt }}",
      // At this temperature, it never ends its output.
      parameters: { num_thread: 1, temperature: 0 },
      stream: true,
    }
    const users = await proxied(
      "/api/create",
      { method: "POST", body: JSON.stringify(requested) },
      userKey,
    )
    expect(users.status).toBe(403)
    const steps = await gather((await admin.create(requested as never)) as never)
    expect(steps.at(-1)).toEqual({ status: "success" })
  })

  it("converts MiniLM, 90 MB uploaded as blobs", async () => {
    const files: Record<string, string> = {}
    for (const name of miniLmFiles) files[name] = await push(join(world.minilm, name))
    const reply = await proxied("/api/create", {
      method: "POST",
      body: JSON.stringify({ model: "all-minilm", files, stream: false }),
    })
    expect([reply.status, await reply.json()]).toEqual([200, { status: "success" }])
  })

  it("lists its models, whose capabilities the gateway detects", async () => {
    const offered = await waitFor(() => {
      const offers = gateway.gateway.registry.endpoints()
      return offers.get("tiny:latest")?.[0] && offers.get("all-minilm:latest") ? offers : undefined
    })
    const { models: listed } = await world.direct("/api/tags")
    expect((await user.list()).models).toEqual(JSON.parse(JSON.stringify(listed)))
    const known = (id: string) => offered.get(id)?.[0]?.model
    expect(known("tiny:latest")).toMatchObject({
      context_length: 2048,
      capabilities: { completion: true },
    })
    expect(known("all-minilm:latest")).toMatchObject({
      context_length: 512,
      capabilities: { embedding: true },
    })
    const shown = await user.show({ model: "tiny" })
    expect(shown.capabilities).toEqual(["completion"])
    const ids = (await gateway.call("GET", "/v1/models")).body.data.map(
      ({ id }: { id: string }) => id,
    )
    expect(ids.toSorted()).toEqual(["all-minilm:latest", "tiny:latest"])
  })

  const lastRecord = async () => (await readUsageRecords(gateway)).at(-1)
  /** The usage record is written shortly after the response. */
  const expectRecord = (fields: object) => expect.poll(lastRecord).toMatchObject(fields)

  it("generates text, streamed and in one piece, with token usage recorded", async () => {
    const parts = await gather(
      await user.generate({ model: "tiny", prompt: "hello", stream: true, options: short }),
    )
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: "length", eval_count: 12 })
    await expectRecord({ outcome: "ok", estimated: 0, tokens_out: 12 })
    const whole = await user.generate({ model: "tiny", prompt: "hello", options: short })
    expect(whole.eval_count).toBe(12)
    await expectRecord({
      outcome: "ok",
      estimated: 0,
      tokens_in: whole.prompt_eval_count,
      tokens_out: 12,
    })
  })

  it("chats, streamed and in one piece", async () => {
    const requested = { model: "tiny", messages: [{ role: "user", content: "hi" }], options: short }
    const parts = await gather(await user.chat({ ...requested, stream: true }))
    expect(parts.at(-1)).toMatchObject({ done: true, eval_count: 12 })
    expect((await user.chat(requested)).message.role).toBe("assistant")
  })

  it("embeds one or several texts", async () => {
    const { embeddings } = await user.embed({
      model: "all-minilm",
      input: ["cat", "kitten", "tax"],
    })
    const dot = (a = 0, z = 0): number =>
      (embeddings[a] ?? []).reduce((sum, value, at) => sum + value * (embeddings[z]?.[at] ?? 0), 0)
    expect(embeddings.map(({ length }) => length)).toEqual([384, 384, 384])
    expect(dot(0, 1)).toBeGreaterThan(dot(0, 2) + 0.2)
    expect((await user.embeddings({ model: "all-minilm", prompt: "cat" })).embedding).toHaveLength(
      384,
    )
  })

  it.each(["/v1", "/ollama/v1"])("works with the OpenAI SDK at %s", async (prefix) => {
    const client = new OpenAI({ baseURL: gateway.url + prefix, apiKey: userKey, maxRetries: 0 })
    const requested = {
      model: "tiny:latest",
      messages: [{ role: "user" as const, content: "hi" }],
      max_tokens: 12,
    }
    const whole = await client.chat.completions.create(requested)
    expect(whole.usage?.completion_tokens).toBe(12)
    const chunks = await gather(
      await client.chat.completions.create({
        ...requested,
        stream: true,
        stream_options: { include_usage: true },
      }),
    )
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(12)
    await expectRecord({ outcome: "ok", estimated: 0, tokens_out: 12 })
    const { data } = await client.embeddings.create({ model: "all-minilm:latest", input: ["cat"] })
    expect(data[0]?.embedding).toHaveLength(384)
    expect((await client.models.list()).data).toHaveLength(2)
  })

  it("works with the Python SDKs of Ollama and OpenAI", async () => {
    const script = join(import.meta.dirname, "sdks.py")
    const output = await runInstaller(world.python, [script, gateway.url, userKey])
    const [listed, parts, ...rest] = output.trim().split("\n")
    expect(listed).toBe("['all-minilm:latest', 'tiny:latest']")
    expect(Number(parts)).toBeGreaterThan(2)
    expect(rest).toEqual(["2", "['completion']", "5", "403"])
  })

  it("loads and unloads a model according to keep_alive", async () => {
    const running = async () => (await user.ps()).models.map(({ name }) => name)
    await user.generate({ model: "tiny", prompt: "", keep_alive: "5m" })
    expect(await running()).toContain("tiny:latest")
    await user.generate({ model: "tiny", prompt: "", keep_alive: 0 })
    await waitFor(async () => !(await running()).includes("tiny:latest"))
  })

  it("lets administrators copy and delete models, and the model list is updated", async () => {
    await expect(user.copy({ source: "tiny", destination: "twin" })).rejects.toThrow(
      "administrators",
    )
    await admin.copy({ source: "tiny", destination: "twin" })
    await waitForModels(gateway, ["twin:latest"])
    await admin.delete({ model: "twin" })
    await waitFor(async () => {
      const { body } = await gateway.call("GET", "/v1/models")
      return !body.data.some(({ id }: { id: string }) => id === "twin:latest")
    })
    await expect(admin.delete({ model: "twin" })).rejects.toThrow("not found")
  })

  it("forwards the error of a failed pull", async () => {
    const reply = await proxied("/api/pull", {
      method: "POST",
      body: JSON.stringify({ model: "127.0.0.1:9/nobody/nothing", insecure: true }),
    })
    expect(await reply.text()).toMatch(/"error":"pull model manifest/)
  })

  it("finds passages by meaning rather than wording, with MiniLM", async () => {
    const query = "?process_in_background=false"
    const texts = {
      "pets.txt": "Our kitten sleeps all day on the sofa and purrs.",
      "tax.txt": "The invoice is due within thirty days of its receipt.",
      "sea.txt": "The ferry leaves the harbour at dawn, whatever the weather.",
    }
    await waitFor(async () => {
      const spaces = await gateway.gateway.db.read.selectFrom("vector_spaces").selectAll().execute()
      return spaces.some(({ model }) => model.startsWith("all-minilm"))
    })
    const ids: string[] = []
    for (const [name, text] of Object.entries(texts)) {
      const { body } = await upload(gateway, name, text, { query })
      ids.push(body.id)
    }
    const id = await createCollection(gateway, "Things", ids)
    await gateway.call("POST", `/api/v1/knowledge/${id}/update`, { search: "dense" })
    const requested = { query: "feline animal resting" }
    const { body } = await gateway.call("POST", `/api/v1/knowledge/${id}/query`, requested)
    expect(body).toMatchObject({ search: "dense", embedding_model: "all-minilm:latest" })
    expect(JSON.stringify(body.passages[0])).toContain("kitten")
  }, 900_000)

  it("stops generating when the client disconnects", async () => {
    const parts = await user.generate({
      model: "tiny",
      prompt: "hello",
      stream: true,
      options: slow,
    })
    for await (const _part of parts) {
      parts.abort()
      break
    }
    await waitFor(async () => (await lastRecord())?.outcome === "client_cancelled")
    const whole = await user.generate({ model: "tiny", prompt: "hello", options: short })
    expect(whole.done).toBe(true)
  })

  it("causes an error event when it is killed during a stream, and recovers after a restart", async () => {
    const reply = await proxied("/api/generate", {
      method: "POST",
      body: JSON.stringify({
        model: "tiny",
        prompt: "hello",
        options: slow,
      }),
    })
    const decoder = new TextDecoder()
    let text = ""
    let killed = false
    for await (const chunk of reply.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (!killed) await world.kill()
      killed = true
    }
    const last = JSON.parse(text.trim().split("\n").at(-1) ?? "")
    expect(last.error).toMatch(/broke|ended|lost|reached|closed/i)
    const away = await proxied("/api/generate", {
      method: "POST",
      body: JSON.stringify({ model: "tiny", prompt: "hello" }),
    })
    expect([502, 503]).toContain(away.status)
    expect((await user.list()).models).toHaveLength(2)
    await world.start()
    const back = await waitFor(
      () => user.generate({ model: "tiny", prompt: "hello", options: short }).catch(() => null),
      30_000,
    )
    expect(back.done).toBe(true)
  })

  it("cannot be used through the gateway by its own command line, which sends no key", async () => {
    const env = { HOME: world.home, OLLAMA_HOST: `${gateway.url}/ollama` }
    await expect(runInstaller(world.program, ["list"], env)).rejects.toThrow("something went wrong")
  })
})
