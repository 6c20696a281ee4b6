import { sql } from "kysely"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { type Bus, type BusMessage, createLocalBus } from "./bus.ts"
import { createPostgresBus } from "./postgres-bus.ts"

const heardBy = (bus: Bus): BusMessage[] => {
  const heard: BusMessage[] = []
  bus.subscribe((message) => heard.push(message))
  return heard
}

describe.each(chooseDatabases())("the bus on $name", ({ open }) => {
  let database: OpenedDatabase
  let buses: Bus[]
  const newBus = () => (database.url ? createPostgresBus(database.url) : createLocalBus())

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
    const heard = buses.map(heardBy)
    if (database.url) await expect.poll(() => heard.at(-1)).toEqual([{ topic: "reset" }])
    for (const messages of heard) messages.length = 0
    await publish(user("one"), async () => {
      expect(heard.flat()).toEqual([])
    })
    await publish({ topic: "groups" })
    const expected = [user("one"), { topic: "groups" }]
    await expect.poll(() => heard).toEqual(buses.map(() => expected))
  })

  it("does not deliver messages of a rolled-back transaction", async () => {
    const heard = buses.map(heardBy)
    const failing = publish(user("never"), async () => {
      throw new Error("no")
    })
    await expect(failing).rejects.toThrow("no")
    await publish(user("after"))
    await expect.poll(() => heard).toEqual(buses.map(() => [user("after")]))
  })

  it("stops delivering after unsubscribe", async () => {
    const heard: BusMessage[] = []
    const leave = buses[0]?.subscribe((message) => heard.push(message))
    leave?.()
    const others = buses.map(heardBy)
    await publish(user("unheard"))
    await expect.poll(() => others).toEqual(buses.map(() => [user("unheard")]))
    expect(heard).toEqual([])
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
      const heard = buses.map(heardBy)
      for (const text of ["garbage", "", "{}", '{"from":"x","message":{"topic":"nonsense"}}']) {
        await onServer(`select pg_notify('portico', '${text}')`)
      }
      await publish(user("still there"))
      await expect.poll(() => heard).toEqual(buses.map(() => [user("still there")]))
    })

    it("delivers a reset after reconnecting", async ({ skip }) => {
      skip(!database.url)
      const heard = buses.map(heardBy)
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'portico bus' and datname = current_database()`.execute(
        database.db.read,
      )
      const reset: BusMessage = { topic: "reset" }
      await expect.poll(() => heard).toEqual(buses.map(() => [reset]))
      await publish(user("back"))
      await expect.poll(() => heard).toEqual(buses.map(() => [reset, user("back")]))
    })
  })
})
