import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { exchangeOf, message, storedResponsesOf } from "./responses.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

describe.each(chooseDatabases())("stored responses on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let responses: ReturnType<typeof storedResponsesOf>
  let userCount = 0

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
    responses = storedResponsesOf(gateway)
  })
  afterAll(() => gateway.stop())

  const newUser = async (): Promise<string> => (await gateway.createUser(`U${++userCount}`)).id

  const saveChain = async (userId: string, ids: readonly string[]): Promise<void> => {
    for (const [n, id] of ids.entries()) {
      await responses.save(userId, exchangeOf(id, { previous: ids[n - 1] ?? null }))
    }
  }

  const idsIn = async (userId: string, id: string) =>
    (await responses.readHistory(userId, id)).map((item) => item.id)

  const notFound = (id: string) => ({
    code: "previous_response_not_found",
    status: 400,
    message: expect.stringContaining(`"${id}"`),
    details: { param: "previous_response_id" },
  })

  it("return the items of all previous responses, oldest first, unchanged", async () => {
    const user = await newUser()
    await saveChain(user, ["c", "b", "a"])
    const expected = ["c", "b", "a"].flatMap((id) => {
      const { response, input } = exchangeOf(id)
      return [...input, ...response.output]
    })
    expect(await responses.readHistory(user, "a")).toEqual(expected)
    expect(await idsIn(user, "b")).toEqual(["in_c", "msg_of_c", "in_b", "msg_of_b"])
  })

  it("can be continued in several ways", async () => {
    const user = await newUser()
    await saveChain(user, ["root", "left"])
    await responses.save(user, exchangeOf("right", { previous: "root" }))
    const common = ["in_root", "msg_of_root"]
    expect(await idsIn(user, "left")).toEqual([...common, "in_left", "msg_of_left"])
    expect(await idsIn(user, "right")).toEqual([...common, "in_right", "msg_of_right"])
  })

  it("have a history only if every response before them exists", async () => {
    const [user, other] = [await newUser(), await newUser()]
    await saveChain(user, ["one", "two", "three", "four"])
    await expect(responses.readHistory(user, "none")).rejects.toMatchObject(notFound("none"))
    await expect(responses.readHistory(other, "four")).rejects.toMatchObject(notFound("four"))
    await expect(responses.readHistory(user, "nul\0")).rejects.toMatchObject({
      code: "previous_response_not_found",
    })
    const actor = {
      type: "system",
      id: null,
      key_id: null,
      address: null,
      request_id: null,
    } as const
    await responses.remove(actor, user, "two")
    for (const id of ["three", "four"]) {
      await expect(responses.readHistory(user, id)).rejects.toMatchObject(notFound("two"))
    }
    expect(await idsIn(user, "one")).toHaveLength(2)
  })

  it("are not changed by another one with the same id, which fails", async () => {
    const user = await newUser()
    await responses.save(user, exchangeOf("again"))
    await expect(responses.save(user, exchangeOf("again", { text: "other" }))).rejects.toThrow()
    expect(await responses.readHistory(user, "again")).toHaveLength(2)
    expect(await responses.get(user, "again")).toEqual(exchangeOf("again").response)
  })

  it("that are saved concurrently are all stored", async () => {
    const user = await newUser()
    const ids = Array.from({ length: 30 }, (_, n) => `r${n}`)
    await Promise.all(ids.map((id) => responses.save(user, exchangeOf(id))))
    for (const id of ids) expect(await responses.readHistory(user, id)).toHaveLength(2)
  })

  it("give input items without a usable id one that fits their type", async () => {
    const user = await newUser()
    const input = [
      { role: "user", content: "no type" },
      { type: "function_call_output", call_id: "c1", output: "1" },
      { type: "reasoning", summary: [] },
      { type: "something_new" },
      { type: "web_search_call", status: "completed" },
      message("unusable", "two words"),
      message("own", "msg_own"),
    ]
    await responses.save(user, { ...exchangeOf("ids"), input })
    const items = await responses.readHistory(user, "ids")
    const ids = items.slice(0, input.length).map(({ id }) => String(id))
    expect(ids.map((id) => id.replace(/[0-9a-f]{32}$/, "*"))).toEqual([
      "msg_*",
      "fco_*",
      "rs_*",
      "item_*",
      "ws_*",
      "msg_*",
      "msg_own",
    ])
    const withoutIds = items.slice(0, 5).map(({ id: _, ...item }) => item)
    expect(withoutIds).toEqual(input.slice(0, 5))
    const found = await responses.readItems(user, ids)
    expect([...found.keys()].sort()).toEqual(ids.toSorted())
  })

  it("find items of input and output by id, in their newest form", async () => {
    const [user, other] = [await newUser(), await newUser()]
    let now = 1_800_000_000
    const timed = storedResponsesOf(gateway, { now: () => now })
    await timed.save(user, exchangeOf("first"))
    now += 1
    const changed = { ...exchangeOf("second"), input: [message("changed", "in_first")] }
    await timed.save(user, changed)
    const ids = ["in_first", "msg_of_first", "in_first", "unknown", "nul\0"]
    const found = await timed.readItems(user, ids)
    expect(Object.fromEntries(found)).toEqual({
      in_first: message("changed", "in_first"),
      msg_of_first: exchangeOf("first").response.output[0],
    })
    expect(await timed.readItems(other, ids)).toEqual(new Map())
    const many = Array.from({ length: 1000 }, (_, n) => (n === 777 ? "in_first" : `id ${n}`))
    expect((await timed.readItems(user, many)).size).toBe(1)
  })

  it("can be read after 1,000 responses, but not after more", async () => {
    const user = await newUser()
    await gateway.gateway.db.transact(async (tx) => {
      const sizes = { item_bytes: 1, bytes: 1, created_at: Math.floor(Date.now() / 1000) }
      for (let n = 0; n <= 1000; n++) {
        const row = { user_id: user, id: `r${n}`, previous_id: n === 0 ? null : `r${n - 1}` }
        await tx
          .insertInto("stored_responses")
          .values({ ...row, response: "{}", ...sizes })
          .execute()
      }
    })
    expect(await responses.readHistory(user, "r999")).toEqual([])
    const tooLong = { code: "bad_request", details: { param: "previous_response_id" } }
    await expect(responses.readHistory(user, "r1000")).rejects.toMatchObject(tooLong)
  })

  it("that precede each other do not keep the gateway busy", async () => {
    const user = await newUser()
    await responses.save(user, exchangeOf("hen", { previous: "egg" }))
    await responses.save(user, exchangeOf("egg", { previous: "hen" }))
    await expect(responses.readHistory(user, "hen")).rejects.toMatchObject({ code: "bad_request" })
  })

  it("disappear with their user's account", async () => {
    const user = await newUser()
    await saveChain(user, ["x", "y"])
    expect((await gateway.call("DELETE", `/api/v1/users/${user}`)).status).toBe(200)
    for (const table of ["stored_responses", "stored_response_items"] as const) {
      const rows = gateway.gateway.db.read.selectFrom(table).where("user_id", "=", user)
      expect(await rows.selectAll().execute()).toEqual([])
    }
  })
})
