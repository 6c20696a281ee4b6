import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../harness/databases.ts"
import { createChooser } from "../harness/random.ts"
import { createComparedStores } from "./compared-ledger-store.ts"
import { initialAmounts } from "./ledger-scenario.ts"
import { createWorld } from "./ledger-world.ts"

const operations = 600

describe.each(chooseDatabases())("accounts and leases on $name", ({ open }) => {
  let opened: OpenedDatabase
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.remove())

  const deleteAll = () =>
    opened.db.transact(async (tx) => {
      await tx.deleteFrom("limits").execute()
      await tx.deleteFrom("limit_processes").execute()
    })

  const saveAmount = (id: string, amount: number | undefined): Promise<void> =>
    opened.db.transact(async (tx) => {
      if (amount === undefined) {
        await tx.deleteFrom("limits").where("id", "=", id).execute()
        return
      }
      await tx
        .insertInto("limits")
        .values({
          ...{ id, amount, target_type: "everyone", target_id: null, model: null, metric: "cost" },
          ...{ time_window: "day", mode: "hard", time_zone: "UTC", rolling: 0, arrival_ms: null },
          ...{ set_by: "administrator", group_id: null },
          ...{ raise_amount: null, raise_until_ms: null, created_ms: 0, updated_ms: 0 },
        })
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ amount }))
        .execute()
    })

  const title = "change as those in memory do, whatever fails (seed %i)"
  it.each([1, 2, 3])(title, async (seed) => {
    const choose = createChooser(seed)
    await deleteAll()
    for (const [id, amount] of Object.entries(initialAmounts)) await saveAmount(id, amount)
    const chooseFault = () =>
      choose.chance(0.06) ? choose.pick(["statement", "reply"] as const) : null
    const { createStore, compareAccounts, claimCount } = createComparedStores({
      ...{ db: opened.db, chooseFault },
    })
    const faults = {
      ...{ overruns: seed % 2 === 0, clockJumps: true, cutOff: true },
      ...{ changedAmounts: true, changedRules: seed > 1 },
    }
    const world = createWorld(seed, faults, { createStore, onAmount: saveAmount })
    for (let done = 0; done < operations; done++) {
      await world.step()
      if (done % 100 === 0) await compareAccounts(world.store.accounts())
    }
    await world.end()
    await compareAccounts(world.store.accounts())
    expect(world.overspent).toEqual([])
    expect(claimCount()).toBeGreaterThan(60)
  })
})
