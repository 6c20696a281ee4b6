import { sql } from "kysely"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { type Bus, type BusMessage, createLocalBus } from "./bus.ts"
import { createPostgresBus } from "./postgres-bus.ts"

const receivedBy = (bus: Bus): BusMessage[] => {
  const received: BusMessage[] = []
  bus.subscribe("test", (message) => received.push(message))
  return received
}

describe.each(chooseDatabases())("the bus on $name", ({ open }) => {
  let database: OpenedDatabase
  let buses: Bus[]
  const background = createTestBackground()
  const newBus = () =>
    database.url ? createPostgresBus(database.url, background) : createLocalBus(background)

  beforeAll(async () => {
    database = await open()
    // SQLite allows a single process, hence a single bus.
    buses = database.url ? [newBus(), newBus()] : [newBus()]
  })
  afterAll(async () => {
    for (const bus of buses) await bus.close()
    await database.remove()
  })

  const publish = (message: BusMessage, andThen = async () => {}) =>
    database.db.transact(async (tx) => {
      await buses[0]?.publish(tx, message)
      await andThen()
    })
  const user = (id: string): BusMessage => ({ topic: "user", id })

  it("delivers to every subscriber once, after the commit", async () => {
    const received = buses.map(receivedBy)
    if (database.url) await expect.poll(() => received.at(-1)).toEqual([{ topic: "reset" }])
    for (const messages of received) messages.length = 0
    await publish(user("one"), async () => {
      expect(received.flat()).toEqual([])
    })
    await publish({ topic: "groups" })
    const expected = [user("one"), { topic: "groups" }]
    await expect.poll(() => received).toEqual(buses.map(() => expected))
  })

  it("does not deliver messages of a rolled-back transaction", async () => {
    const received = buses.map(receivedBy)
    const failing = publish(user("never"), async () => {
      throw new Error("no")
    })
    await expect(failing).rejects.toThrow("no")
    await publish(user("after"))
    await expect.poll(() => received).toEqual(buses.map(() => [user("after")]))
  })

  it("stops delivering after unsubscribe", async () => {
    const received: BusMessage[] = []
    const leave = buses[0]?.subscribe("test", (message) => received.push(message))
    leave?.()
    const others = buses.map(receivedBy)
    await publish(user("unheard"))
    await expect.poll(() => others).toEqual(buses.map(() => [user("unheard")]))
    expect(received).toEqual([])
  })

  it("stops delivering when it is closed", async () => {
    const bus = newBus()
    const received = receivedBy(bus)
    if (database.url) await expect.poll(() => received).toEqual([{ topic: "reset" }])
    received.length = 0
    await bus.close()
    await database.db.transact((tx) => bus.publish(tx, user("late")))
    const others = buses.map(receivedBy)
    await publish(user("after"))
    // The notification of "late" may arrive after "after", which its own process delivers at once.
    const withAfter = expect.arrayContaining([user("after")])
    await expect.poll(() => others).toEqual(buses.map(() => withAfter))
    expect(received).toEqual([])
  })

  it("sends a listener whose work failed a reset until it succeeds", async () => {
    const failing: BusMessage[] = []
    const leave = buses[0]?.subscribe("test", async (message) => {
      failing.push(message)
      if (failing.length < 3) throw new Error("The database is unreachable")
    })
    const others = buses.map(receivedBy)
    await publish(user("read again"))
    const reset: BusMessage = { topic: "reset" }
    await expect.poll(() => failing).toEqual([user("read again"), reset, reset])
    expect(others).toEqual(buses.map(() => [user("read again")]))
    leave?.()
  })

  describe("between processes", () => {
    const onServer = async (text: string): Promise<void> => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query(text)
      await client.end()
    }

    it("ignores payloads other programs send on its channel", async ({ skip }) => {
      skip(!database.url)
      const received = buses.map(receivedBy)
      for (const text of ["garbage", "", "{}", '{"from":"x","message":{"topic":"nonsense"}}']) {
        await onServer(`select pg_notify('portico', '${text}')`)
      }
      await publish(user("still there"))
      await expect.poll(() => received).toEqual(buses.map(() => [user("still there")]))
    })

    it("delivers a reset after reconnecting", async ({ skip }) => {
      skip(!database.url)
      const received = buses.map(receivedBy)
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'portico bus' and datname = current_database()`.execute(
        database.db.read,
      )
      const reset: BusMessage = { topic: "reset" }
      await expect.poll(() => received).toEqual(buses.map(() => [reset]))
      await publish(user("back"))
      await expect.poll(() => received).toEqual(buses.map(() => [reset, user("back")]))
    })
  })
})
