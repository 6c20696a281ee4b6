import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createLocalBus } from "../bus/bus.ts"
import { createPriceRegistry } from "./price-registry.ts"
import type { PriceEntry } from "./schema.ts"
import { createPriceStore } from "./store.ts"

const shipped = { entries: [], date: "2026-01-31", providerOfHost: () => null }
const entry: PriceEntry = { model: "m", from: 0, input: 1, output: 2 }

describe.each(chooseDatabases())("prices in memory on $name", ({ open }) => {
  let database: OpenedDatabase

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.remove())

  it("follow the changes of other processes", async () => {
    const { db } = database
    const store = createPriceStore(db)
    const bus = createLocalBus(createTestBackground())
    const registry = await createPriceRegistry({ store, bus, shipped })
    const query = {
      ...{ endpointId: "p.m", upstreamModel: "m", at: 10 },
      connection: { id: "c", kind: "ollama", base_url: "http://127.0.0.1:11434" },
    }
    let changes = 0
    registry.onChange(() => changes++)
    expect(registry.findPrice(query)).toBeUndefined()
    await db.transact(async (tx) => {
      await store.save(tx, [entry], 5)
      await bus.publish(tx, { topic: "prices" })
    })
    await expect.poll(() => registry.findPrice(query)).toEqual(entry)
    await db.transact(async (tx) => {
      await store.remove(tx, [entry])
      await bus.publish(tx, { topic: "prices" })
    })
    await expect.poll(() => registry.custom()).toEqual([])
    expect(changes).toBe(2)
  })
})
