import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createJobQueue } from "./queue.ts"

describe.each(chooseDatabases())("the job queue on $name", ({ open }) => {
  let database: OpenedDatabase

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.remove())

  it("runs no job before its start, when all kinds are registered", async () => {
    const runs: string[] = []
    const createQueue = (name: string) => {
      const background = createTestBackground()
      const queue = createJobQueue({ background, db: database.db, isOnlyProcess: true })
      queue.register("count", {
        concurrency: 1,
        attempts: 1,
        run: async () => void runs.push(name),
        onGivenUp: async () => {},
      })
      return { background, queue }
    }
    const { queue: unstarted } = createQueue("unstarted")
    const job = { kind: "count", target: "one", turn: "one", owner: "ada" }
    await database.db.transact((tx) => unstarted.add(tx, [job]))
    // Waits for jobs that run.
    await unstarted.close()
    const { background, queue } = createQueue("started")
    await queue.start()
    await expect.poll(() => runs).toEqual(["started"])
    await background.close()
    await queue.close()
  })

  it("starts no job of a kind while one that goes first is due or running", async () => {
    const runs: string[] = []
    const background = createTestBackground()
    const { db } = database
    const queue = createJobQueue({ background, db, isOnlyProcess: true, jobPollMs: 20 })
    const runningFirst = Promise.withResolvers<void>()
    const usual = { concurrency: 1, attempts: 1, onGivenUp: async () => {} }
    queue.register("later", {
      ...usual,
      after: ["first"],
      run: async ({ target }) => void runs.push(`later ${target}`),
    })
    queue.register("first", {
      ...usual,
      run: async ({ target }) => {
        runs.push(`first ${target}`)
        await runningFirst.promise
      },
    })
    const jobOf = (kind: string, target: string) => ({ kind, target, turn: target, owner: "ada" })
    await queue.start()
    const firstJobs = [jobOf("first", "a"), jobOf("first", "b")]
    await db.transact((tx) => queue.add(tx, [jobOf("later", "c"), ...firstJobs]))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(runs).toHaveLength(1)
    expect(runs).not.toContain("later c")
    runningFirst.resolve()
    await expect.poll(() => runs).toHaveLength(3)
    // Jobs added within one millisecond start in any order.
    expect(runs.slice(0, 2).toSorted()).toEqual(["first a", "first b"])
    expect(runs[2]).toBe("later c")
    await background.close()
    await queue.close()
  })
})
