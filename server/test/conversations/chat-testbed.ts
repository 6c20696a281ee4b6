import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import type { TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

export interface ChatTestbed {
  gateway: TestGateway
  upstream: FakeOpenAI
  stop: () => Promise<void>
}

/** Starts a gateway on a database of its own, in front of a fake of OpenAI. */
export const startChatTestbed = async (
  createDatabase: () => Promise<TestDatabase>,
  env: Record<string, string> = {},
): Promise<ChatTestbed> => {
  const database = await createDatabase()
  const upstream = await startFakeOpenAI({ apiKey: "up-key" })
  const gateway = await startGateway({
    ...database.env,
    OPENAI_API_BASE_URLS: upstream.url,
    OPENAI_API_KEYS: "up-key",
    ...env,
  })
  return {
    gateway,
    upstream,
    stop: async () => {
      await gateway.stop()
      await upstream.close()
      await database.remove()
    },
  }
}
