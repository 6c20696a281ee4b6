import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { postgresDatabase, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { completionText, fetchLastRun, requestCompletion, saveFunction } from "./function-client.ts"

const sharedDatabases = postgresDatabase ? [postgresDatabase] : []

describe.each(sharedDatabases)("two gateways sharing one $name", ({ createDatabase }) => {
  let database: TestDatabase
  let first: TestGateway
  let second: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    first = await startGateway(database.env)
    second = await startGateway({ ...database.env, PORT: "0" })
  })
  afterAll(async () => {
    await first.stop()
    await second.stop()
    await database.remove()
  })

  it("apply a function saved, changed or disabled on either gateway", async () => {
    await saveFunction(first, "told", "export const reply = () => 'first'")
    await expect
      .poll(async () => completionText(await requestCompletion(second, "told")))
      .toBe("first")
    await saveFunction(second, "told", "export const reply = () => 'second'")
    await expect
      .poll(async () => completionText(await requestCompletion(first, "told")))
      .toBe("second")
    await first.call("POST", "/api/v1/functions/id/told/toggle")
    await expect.poll(async () => (await requestCompletion(second, "told")).status).toBe(404)
  })

  it("share a function's store and its recent runs", async () => {
    await saveFunction(
      first,
      "keeps",
      `export const reply = async (request, { store }) => {
      const count = (await store.get("count") ?? 0) + 1
      await store.set("count", count)
      return String(count)
    }`,
    )
    expect(completionText(await requestCompletion(first, "keeps"))).toBe("1")
    await expect
      .poll(async () => completionText(await requestCompletion(second, "keeps")))
      .toBe("2")
    await expect.poll(async () => (await fetchLastRun(first, "keeps"))?.outcome).toBe("ok")
  })
})
