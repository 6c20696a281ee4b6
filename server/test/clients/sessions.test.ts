import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type JsonObject, listOf, objectOf } from "../fakes/json.ts"
import type { FakeUpstream } from "../fakes/upstream.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { claudeCode, runClaudeCode } from "./claude-code.ts"
import type { Client, ClientContext } from "./client.ts"
import { codex, runCodex, runCodexWithBaseUrl } from "./codex.ts"
import { note } from "./run-in-new-folder.ts"
import type { ProgramResult } from "./run-program.ts"
import { startSessionProvider } from "./scripted-providers/scripted-providers.ts"
import { callsPerSession } from "./scripted-providers/scripted-session.ts"

/** Codex knows the second model by its name, and sends it other requests. */
const models = ["scripted-session", "gpt-5.6-sol"]
const timeoutMs = 400_000

let provider: FakeUpstream
let gateway: TestGateway

beforeAll(async () => {
  provider = await startSessionProvider(models)
  gateway = await startGateway({
    OPENAI_API_BASE_URL: `${provider.origin}/v1`,
    OPENAI_API_KEY: "provider-key",
  })
  await waitForModels(gateway, models)
})
afterAll(async () => {
  await gateway.stop()
  await provider.close()
})

type Run = (context: ClientContext) => Promise<ProgramResult>

const prompt = "Read the note again and again."

const sessions: [name: string, client: Client, model: string, run: Run][] = [
  ...models.flatMap((model): typeof sessions => [
    [`Codex, ${model}`, codex, model, (context) => runCodex(context, prompt)],
    [
      `Codex with openai_base_url, ${model}`,
      ...([codex, model] as const),
      (context) => runCodexWithBaseUrl(context, prompt),
    ],
  ]),
  [
    "Claude Code",
    claudeCode,
    "scripted-session",
    (context) => runClaudeCode(context, () => prompt),
  ],
]

/** Claude Code searches for tools whose declarations it has not sent yet. */
const hasSearched = (body: JsonObject): boolean =>
  JSON.stringify(body.messages).includes('"name":"ToolSearch"')

const countResults = (body: JsonObject): number =>
  listOf(body.messages)
    .map(objectOf)
    .filter(({ role }) => role === "tool").length

describe.each(sessions)("a session of %s", (_name, client, model, run) => {
  it(`calls ${callsPerSession} tools of a model with chat completions only`, {
    timeout: timeoutMs,
  }, async ({ skip }) => {
    const missing = await client.findMissing()
    if (missing !== null) {
      expect(process.env.CI, `CI lacks the client: ${missing}`).toBeUndefined()
      return skip(missing)
    }
    const { url, key } = gateway
    const before = provider.requests.length
    const { code, stdout, stderr } = await run({ url, key, model })
    expect([code, code === 0 ? "" : `${stdout}${stderr}`]).toEqual([0, ""])
    const answer = `${callsPerSession} results, the last one: `
    expect(stdout).toContain(answer)
    expect(stdout.slice(stdout.indexOf(answer))).toContain(note)
    expect(`${stdout}${stderr}`).not.toMatch(/reconnect|stream error|API Error|retry/i)
    // One request for each turn: none failed or was repeated.
    const turns = provider.requests
      .slice(before)
      .filter(({ method, path }) => method === "POST" && path === "/v1/chat/completions")
    expect(turns.map(({ sent }) => sent.status)).toEqual(turns.map(() => 200))
    expect(turns.some(({ json }) => hasSearched(objectOf(json)))).toBe(client === claudeCode)
    const counts = turns.map(({ json }) => countResults(objectOf(json)))
    const unique = counts.filter((count) => count > 0)
    expect(unique).toEqual(Array.from({ length: callsPerSession }, (_, at) => at + 1))
  })
})
