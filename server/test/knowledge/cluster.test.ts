import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { hasPostgres, postgresDatabase, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { collect, upload } from "./collections.ts"

const postgres = postgresDatabase

describe.runIf(hasPostgres)("two gateways sharing one database and one folder", () => {
  let place: TestDatabase
  let upstream: FakeOpenAI
  let one: TestGateway
  let two: TestGateway

  beforeAll(async () => {
    if (!postgres) return
    place = await postgres.createDatabase()
    upstream = await startFakeOpenAI()
    const env = { ...place.env, OPENAI_API_BASE_URLS: upstream.url }
    one = await startGateway(env)
    two = await startGateway(env)
    for (const gateway of [one, two]) {
      await waitForModels(gateway, ["gpt-fake"])
    }
  })
  afterAll(async () => {
    await one.stop()
    await two.stop()
    await upstream.close()
    await place.remove()
  })

  it("answer from a file that the other has just processed", async () => {
    for (let round = 0; round < 5; round++) {
      const fact = `Cave ${round} is home to bats of kind${round}.`
      const file = await upload(one, "bats.txt", fact)
      const id = await collect(one, `Bats ${round}`, [file.body.id])
      const { status, body } = await two.call("POST", "/v1/chat/completions", {
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
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        upload(
          n % 2 ? one : two,
          `${n}.txt`,
          `Story number ${n} tells of ${"many things ".repeat(n)}.`,
        ),
      ),
    )
    await vi.waitFor(
      async () => {
        for (const { body } of sent) {
          const file = (await one.call("GET", `/api/v1/files/${body.id}`)).body
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
