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
})
