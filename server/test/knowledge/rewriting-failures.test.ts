import { afterAll, beforeAll, expect, it } from "vitest"
import type { RewritingReport } from "../../src/knowledge/rewriting/schema.ts"
import { type FakeResponse, jsonResponse } from "../fakes/responses.ts"
import { type FakeUpstream, type RecordedRequest, startFakeUpstream } from "../fakes/upstream.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload } from "./collections.ts"
import { isRewriting, manual, streamed } from "./rewriting-upstream.ts"

let gateway: TestGateway
let upstream: FakeUpstream
let collection: string
let respond: (request: RecordedRequest) => FakeResponse

beforeAll(async () => {
  upstream = await startFakeUpstream({
    respond: (request) =>
      request.path === "/v1/models"
        ? jsonResponse(200, { data: [{ id: "writer" }, { id: "strict" }] })
        : respond(request),
  })
  const env = { OPENAI_API_BASE_URLS: `${upstream.origin}/v1` }
  gateway = await startGateway(env, { defaultSettings: { query_rewriting_timeout_ms: 20_000 } })
  await waitForModels(gateway, ["writer", "strict"])
  const query = "?process_in_background=false"
  const { body } = await upload(gateway, "manual.md", manual, { query })
  collection = await createCollection(gateway, "Manual", [body.id])
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const rewritings = () => upstream.requests.filter(isRewriting)
let freshQuestions = 0
/** Searches for a question that is not in the cache. */
const rewrite = async (model: string): Promise<RewritingReport> => {
  const query = `And its number, ${++freshQuestions}?`
  const json = { query, previous: "Which one is near the end?", model }
  const path = `/api/v1/knowledge/${collection}/query`
  const { status, body } = await gateway.call("POST", path, json)
  expect(status).toBe(200)
  return body.rewriting
}

it("repeats a request without parameters that a model rejects, and leaves them out from then on", async () => {
  respond = ({ body }) =>
    body.includes('"temperature"')
      ? jsonResponse(400, { error: { message: "Unsupported value: 'temperature'" } })
      : streamed('{"standalone": "What is the code of the tillers?"}')
  const requestsFor = async (model: string): Promise<number> => {
    const count = rewritings().length
    expect((await rewrite(model)).outcome).toBe("used")
    return rewritings().length - count
  }
  expect(await requestsFor("strict")).toBe(2)
  expect(await requestsFor("strict")).toBe(1)
  // Another model may accept them.
  expect(await requestsFor("writer")).toBe(2)
})

it.each<[string, FakeResponse, string | RegExp, string | undefined]>([
  [
    "no JSON",
    streamed("No."),
    "The model did not respond with the requested JSON.",
    "rewriting_unreadable",
  ],
  [
    "an endless text",
    streamed("x".repeat(20_000)),
    /it is longer than 16000 characters\.$/,
    "provider_malformed",
  ],
  [
    "the provider's own error",
    jsonResponse(429, { error: { message: "No tokens left today." } }),
    "No tokens left today.",
    undefined,
  ],
])("explains %s in a way that pages can translate", async (_name, response, text, id) => {
  respond = () => response
  const { error, error_reference: reference } = await rewrite("writer")
  expect(error).toMatch(text)
  expect(reference?.id).toBe(id)
})
