import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { exchangeOf, message, storedResponsesOf } from "./responses.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const day = 86_400

describe.each(chooseDatabases())("limits on stored responses on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let bob: { id: string; key: string }

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase, { MAX_STORAGE: "100MB/1GB" })
  })
  afterAll(() => gateway.stop())

  let userCount = 0
  const newUser = () => gateway.createUser(`U${++userCount}`)
  const idsOf = async (user: string): Promise<string[]> => {
    const rows = gateway.gateway.db.read.selectFrom("stored_responses").where("user_id", "=", user)
    return (await rows.select("id").orderBy("id").execute()).map(({ id }) => id)
  }
  const countItems = async (user: string): Promise<number> => {
    const rows = gateway.gateway.db.read.selectFrom("stored_response_items")
    return (await rows.select("position").where("user_id", "=", user).execute()).length
  }

  it("hide a response once its lifetime has ended, and delete it", async () => {
    bob = await newUser()
    let now = Math.floor(Date.now() / 1000) - 30 * day
    const responses = storedResponsesOf(gateway, { now: () => now })
    await responses.save(bob.id, exchangeOf("expired"))
    now += 10
    await responses.save(bob.id, exchangeOf("fresh", { previous: "expired" }))
    expect(await responses.readHistory(bob.id, "fresh")).toHaveLength(4)

    now += 30 * day - 5
    const get = (id: string) => gateway.call("GET", `/v1/responses/${id}`, undefined, bob)
    expect((await get("expired")).status).toBe(404)
    expect((await get("expired/input_items")).status).toBe(404)
    expect((await gateway.call("DELETE", "/v1/responses/expired", undefined, bob)).status).toBe(404)
    await expect(responses.readHistory(bob.id, "fresh")).rejects.toMatchObject({
      code: "previous_response_not_found",
      message: expect.stringContaining('"expired"'),
    })
    const found = await responses.readItems(bob.id, ["in_expired", "in_fresh"])
    expect([...found.keys()]).toEqual(["in_fresh"])
    expect(await idsOf(bob.id)).toEqual(["expired", "fresh"])
    await responses.deleteExpired()
    expect(await idsOf(bob.id)).toEqual(["fresh"])
    expect(await countItems(bob.id)).toBe(2)
  })

  it("delete any number of expired responses of all users", async () => {
    let now = Math.floor(Date.now() / 1000) - 40 * day
    const responses = storedResponsesOf(gateway, { now: () => now })
    const users = [await newUser(), await newUser()]
    for (const { id } of users) {
      for (let n = 0; n < 35; n++) await responses.save(id, exchangeOf(`old_${n}`))
    }
    now += 20 * day
    await responses.save(bob.id, exchangeOf("kept"))
    now += 15 * day
    await responses.deleteExpired()
    for (const { id } of users) expect([await idsOf(id), await countItems(id)]).toEqual([[], 0])
    expect(await idsOf(bob.id)).toContain("kept")
  })

  it("keep a user's newest responses, by number", async () => {
    const [{ id }, other] = [await newUser(), await newUser()]
    let now = Math.floor(Date.now() / 1000) - day
    const maxPerUser = { responses: 3, bytes: 1e9 }
    const responses = storedResponsesOf(gateway, { now: () => now++, maxPerUser })
    await responses.save(other.id, exchangeOf("of_other"))
    for (const name of ["r1", "r2", "r3", "r4", "r5"]) await responses.save(id, exchangeOf(name))
    expect([await idsOf(id), await countItems(id)]).toEqual([["r3", "r4", "r5"], 6])
    expect(await idsOf(other.id)).toEqual(["of_other"])
  })

  it("keep a user's newest responses, by size", async () => {
    const { id } = await newUser()
    let now = Math.floor(Date.now() / 1000) - day
    const maxPerUser = { responses: 1000, bytes: 50_000 }
    const responses = storedResponsesOf(gateway, { now: () => now++, maxPerUser })
    for (let n = 1; n <= 40; n++) await responses.save(id, exchangeOf(`small${n}`))
    const large = { ...exchangeOf("large"), input: [message("x".repeat(45_000))] }
    await responses.save(id, large)
    const kept = await idsOf(id)
    expect(kept).toEqual(expect.arrayContaining(["large", "small40"]))
    expect(kept.length).toBeLessThan(10)
    expect(await responses.readHistory(id, "large")).toHaveLength(2)
  })

  it("count toward the user's storage until they are deleted", async () => {
    const user = await newUser()
    const responses = storedResponsesOf(gateway)
    const usage = async () => (await gateway.call("GET", "/api/v1/storage", undefined, user)).body
    const input = [message("é".repeat(5000))]
    await responses.save(user.id, { ...exchangeOf("counted"), input })
    const { used, breakdown } = await usage()
    expect(breakdown.responses).toBeGreaterThan(10_000)
    expect(breakdown.responses).toBeLessThan(12_000)
    expect(used).toBe(breakdown.responses)
    await gateway.call("DELETE", "/v1/responses/counted", undefined, user)
    expect((await usage()).used).toBe(0)
  })

  it("reject a response beyond the user's storage", async () => {
    const { id } = await newUser()
    const responses = storedResponsesOf(gateway)
    const input = [message("x".repeat(15_000_000))]
    for (let n = 1; n <= 6; n++) await responses.save(id, { ...exchangeOf(`r${n}`), input })
    const beyond = { ...exchangeOf("r7"), input }
    await expect(responses.save(id, beyond)).rejects.toMatchObject({ code: "storage_limit" })
    expect(await idsOf(id)).toHaveLength(6)
  })

  it("reject a response that is too large with its input, or has too many items", async () => {
    const { id } = await newUser()
    const responses = storedResponsesOf(gateway)
    const large = { ...exchangeOf("large"), input: [message("x".repeat(16_000_000))] }
    const tooLarge = { code: "body_too_large", message: expect.stringContaining("16000000") }
    await expect(responses.save(id, large)).rejects.toMatchObject(tooLarge)
    const items = Array.from({ length: 10_000 }, () => message("x"))
    const many = { ...exchangeOf("many"), input: items }
    const tooMany = { code: "body_too_large", message: expect.stringContaining("10000 items") }
    await expect(responses.save(id, many)).rejects.toMatchObject(tooMany)
    const most = { ...exchangeOf("most"), input: items.slice(1) }
    await responses.save(id, most)
    expect(await responses.readHistory(id, "most")).toHaveLength(10_000)
  })

  it("reject a history, or items, beyond 16 MB", async () => {
    const { id } = await newUser()
    const responses = storedResponsesOf(gateway)
    const input = [message("x".repeat(9_000_000))]
    await responses.save(id, { ...exchangeOf("one"), input: [{ ...input[0], id: "big1" }] })
    const { response } = exchangeOf("two", { previous: "one" })
    await responses.save(id, { response, input: [{ ...input[0], id: "big2" }] })
    expect(await responses.readHistory(id, "one")).toHaveLength(2)
    await expect(responses.readHistory(id, "two")).rejects.toMatchObject({
      code: "bad_request",
      details: { param: "previous_response_id" },
    })
    const tooLarge = { code: "bad_request", details: { param: "input" } }
    await expect(responses.readItems(id, ["big1", "big2"])).rejects.toMatchObject(tooLarge)
    expect((await responses.readItems(id, ["big1"])).size).toBe(1)
  })
})
