import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { hasPostgres, postgresDatabase, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload } from "./collections.ts"

const postgres = postgresDatabase

describe.runIf(hasPostgres)("two gateways sharing one database and one folder", () => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let first: TestGateway
  let second: TestGateway

  beforeAll(async () => {
    if (!postgres) return
    database = await postgres.createDatabase()
    upstream = await startFakeOpenAI()
    const env = { ...database.env, OPENAI_API_BASE_URLS: upstream.url }
    first = await startGateway(env)
    second = await startGateway(env)
    for (const gateway of [first, second]) {
      await waitForModels(gateway, ["gpt-fake"])
    }
  })
  afterAll(async () => {
    await first.stop()
    await second.stop()
    await upstream.close()
    await database.remove()
  })

  it("answer from a file that the other has just processed", async () => {
    for (let round = 0; round < 5; round++) {
      const fact = `Cave ${round} is home to bats of kind${round}.`
      const file = await upload(first, "bats.txt", fact)
      const id = await createCollection(first, `Bats ${round}`, [file.body.id])
      const { status, body } = await second.call("POST", "/v1/chat/completions", {
        model: "gpt-fake",
        messages: [{ role: "user", content: `Which kind of bats live in cave ${round}?` }],
        files: [{ type: "collection", id }],
      })
      expect(status).toBe(200)
      expect(body.sources[0].document).toEqual([fact])
    }
  })

  it("share the work without embedding anything twice", async () => {
    const before = upstream.requests.length
    const uploads = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        upload(
          n % 2 ? first : second,
          `${n}.txt`,
          `Story number ${n} tells of ${"many things ".repeat(n)}.`,
        ),
      ),
    )
    await vi.waitFor(
      async () => {
        for (const { body } of uploads) {
          const file = (await first.call("GET", `/api/v1/files/${body.id}`)).body
          expect(file.data).toMatchObject({ status: "completed", progress: { embedded: 1 } })
        }
      },
      { timeout: 20_000, interval: 200 },
    )
    const texts = upstream.requests
      .slice(before)
      .filter(({ path }) => path.endsWith("/embeddings"))
      .flatMap(({ body }): string[] => JSON.parse(body.toString()).input)
      .filter((text) => text.startsWith("Story"))
    expect(texts).toHaveLength(20)
    expect(new Set(texts).size).toBe(20)
  })
})
