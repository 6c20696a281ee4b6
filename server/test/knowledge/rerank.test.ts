import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { createCollection, upload } from "./collections.ts"

const rerankRequests: { url: string | undefined; key: string | undefined; body: unknown }[] = []
let status = 200

/** Ranks texts that mention the moon highest, whatever the query. */
const rerankServer = createServer(async (request, response) => {
  const body: { documents?: string[] } = Object(await json(request))
  rerankRequests.push({ url: request.url, key: request.headers.authorization, body })
  const results = (body.documents ?? []).map((text, index) => ({
    index,
    relevance_score: text.includes("moon") ? 4.2 : -1.5,
  }))
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ results: results.toReversed() }))
})
let gateway: TestGateway
let collection = ""

beforeAll(async () => {
  const port = await listenOnLoopback(rerankServer)
  gateway = await startGateway({
    RERANK_URL: `http://127.0.0.1:${port}/v1/`,
    RERANK_MODEL: "ranker",
    RERANK_API_KEY: "sk-rank",
  })
  const query = "?process_in_background=false"
  const texts = ["Moths moths fly to lamps.", "Moths fly by the moon.", "Moths eat wool."]
  const ids = []
  for (const [at, text] of texts.entries()) {
    ids.push((await upload(gateway, `${at}.txt`, text, { query })).body.id)
  }
  collection = await createCollection(gateway, "Moths", ids)
})
afterAll(async () => {
  await gateway.stop()
  rerankServer.close()
})

const search = async () =>
  (await gateway.call("POST", `/api/v1/knowledge/${collection}/query`, { query: "moths" })).body

it("orders passages by the rerank endpoint's scores, and reports them", async () => {
  const { passages } = await search()
  expect(passages[0]).toMatchObject({
    text: "Moths fly by the moon.",
    reranked: { rank: 1, score: 4.2 },
  })
  expect(passages.map(({ reranked }: { reranked: { rank: number } }) => reranked.rank)).toEqual([
    1, 2, 3,
  ])
  expect(rerankRequests[0]).toMatchObject({
    url: "/v1/rerank",
    key: "Bearer sk-rank",
    body: { model: "ranker", query: "moths", top_n: 3 },
  })
})

it("keeps the original order while the rerank endpoint fails, and reports the failure", async () => {
  status = 503
  const { passages, note } = await search()
  expect(passages).toHaveLength(3)
  expect(passages[0]).toMatchObject({ text: "Moths moths fly to lamps.", reranked: null })
  expect(note).toContain("The rerank endpoint did not respond")
})
