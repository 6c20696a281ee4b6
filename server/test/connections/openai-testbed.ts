import { afterAll, beforeAll } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

interface OpenAITestbed {
  upstream: FakeOpenAI
  gateway: TestGateway
}

/** For the tests of a file: a provider with `model`, and a gateway that also proxies its API. */
export const setUpOpenAI = (model: string): (() => OpenAITestbed) => {
  let testbed: OpenAITestbed
  beforeAll(async () => {
    const upstream = await startFakeOpenAI({ models: [model] })
    const gateway = await startGateway({
      OPENAI_API_BASE_URLS: upstream.url,
      OPENAI_API_KEYS: "sk-upstream",
      ENABLE_OPENAI_PROXY: "true",
    })
    testbed = { upstream, gateway }
    await waitForModels(gateway, [model])
  })
  afterAll(async () => {
    await testbed.gateway.stop()
    await testbed.upstream.close()
  })
  return () => testbed
}
