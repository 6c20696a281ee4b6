import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { postgresDatabase, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { askModel, lastRun, saveFunction, textOf } from "./functions.ts"

const shared = postgresDatabase ? [postgresDatabase] : []

describe.each(shared)("two gateways sharing one $name", ({ createDatabase }) => {
  let database: TestDatabase
  let one: TestGateway
  let other: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    one = await startGateway(database.env)
    other = await startGateway({ ...database.env, PORT: "0" })
  })
  afterAll(async () => {
    await one.stop()
    await other.stop()
    await database.remove()
  })

  it("apply a function saved, changed or disabled on either gateway", async () => {
    await saveFunction(one, "told", "export const reply = () => 'first'")
    await expect.poll(async () => textOf(await askModel(other, "told"))).toBe("first")
    await saveFunction(other, "told", "export const reply = () => 'second'")
    await expect.poll(async () => textOf(await askModel(one, "told"))).toBe("second")
    await one.call("POST", "/api/v1/functions/id/told/toggle")
    await expect.poll(async () => (await askModel(other, "told")).status).toBe(404)
  })

  it("share a function's store and its recent runs", async () => {
    await saveFunction(
      one,
      "keeps",
      `export const reply = async (request, { store }) => {
      const count = (await store.get("count") ?? 0) + 1
      await store.set("count", count)
      return String(count)
    }`,
    )
    expect(textOf(await askModel(one, "keeps"))).toBe("1")
    await expect.poll(async () => textOf(await askModel(other, "keeps"))).toBe("2")
    await expect.poll(async () => (await lastRun(one, "keeps"))?.outcome).toBe("ok")
  })
})
