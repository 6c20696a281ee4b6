import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createJobStore, type Job, type NewJob } from "./store.ts"

describe.each(chooseDatabases())("jobs on $name", ({ open }) => {
  let database: OpenedDatabase
  let store: ReturnType<typeof createJobStore>

  beforeAll(async () => {
    database = await open()
    store = createJobStore(database.db)
    await store.open(["embed"])
  })
  afterAll(() => database.remove())

  const createJob = (at: number): NewJob => ({
    ...{ kind: "embed", owner: `owner ${at % 3}` },
    ...{ target: `target ${at}`, turn: `turn ${at}` },
  })

  it("can be added together while others are taken and finished", async () => {
    const jobs = Array.from({ length: 20 }, (_, at) => createJob(at))
    const add = (added: readonly NewJob[]) =>
      database.db.transact((tx) => store.add(tx, added, Date.now()))
    const take = (): Promise<Job | null> => {
      const lease = { holder: "holder", lease_until: Date.now() + 60_000 }
      return store.take({ kind: "embed", slow: 0 }, lease, Date.now())
    }
    const finishAll = async (): Promise<number> => {
      let finished = 0
      for (let job = await take(); job; job = await take(), finished++) await store.finish(job, 5)
      return finished
    }
    await add(jobs)
    for (let round = 0; round < 20; round++) {
      await Promise.all([finishAll(), finishAll(), add(jobs), add(jobs.toReversed())])
      await add(jobs)
      expect(await finishAll()).toBe(jobs.length)
    }
    expect(await store.leases()).toEqual([])
  })
})
