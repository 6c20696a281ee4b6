import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { anthropicSdk } from "./anthropic-sdk.ts"
import { claudeCode } from "./claude-code.ts"
import type { Client, FeatureResults } from "./client.ts"
import {
  formatClientsTable,
  readClientsTable,
  type TestedPair,
  writeClientsTable,
} from "./clients-table.ts"
import { startClientsTestbed, type TestedProvider, testedProviders } from "./clients-testbed.ts"
import { codex } from "./codex.ts"
import { openaiSdk } from "./openai-sdk.ts"
import {
  aiSdkAnthropic,
  aiSdkOpenai,
  anthropicPython,
  openaiAgents,
  openaiPython,
} from "./sdk-programs.ts"

const clients: Client[] = [
  claudeCode,
  anthropicSdk,
  anthropicPython,
  aiSdkAnthropic,
  codex,
  openaiSdk,
  openaiPython,
  openaiAgents,
  aiSdkOpenai,
]
/** Some clients run a program several times. */
const timeoutMs = 900_000

let testbed: Awaited<ReturnType<typeof startClientsTestbed>>
const testedPairs: TestedPair[] = []

beforeAll(async () => {
  testbed = await startClientsTestbed()
})
afterAll(() => testbed.stop())

const failuresIn = (results: FeatureResults) =>
  Object.fromEntries(Object.entries(results).filter(([, failure]) => failure !== null))

describe.each(clients)("$name", (client) => {
  it.for<TestedProvider>(testedProviders)(
    "works with a provider that has $name",
    { timeout: timeoutMs },
    async (provider, { skip }) => {
      const missing = await client.findMissing()
      if (missing !== null) {
        expect(process.env.CI, `CI lacks the client: ${missing}`).toBeUndefined()
        return skip(missing)
      }
      const { url, key } = testbed.gateway
      const { model, paths } = provider
      const results = await client.run({ url, key, model })
      testedPairs.push({ client, provider, results })
      expect(failuresIn(results)).toEqual({})
      expect(testbed.answeredPaths(model)).toContain(paths[client.api])
    },
  )
})

it("docs/clients.md lists what the clients can do", ({ skip }) => {
  if (testedPairs.length < clients.length * testedProviders.length) {
    return skip("not all clients were tested")
  }
  const table = formatClientsTable(testedPairs)
  if (process.env.UPDATE_CLIENTS_TABLE) writeClientsTable(table)
  const advice = "run UPDATE_CLIENTS_TABLE=1 npm test -- server/test/clients"
  expect(readClientsTable(), advice).toBe(table)
})
