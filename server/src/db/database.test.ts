import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { afterCommit } from "./database.ts"
import { openDatabase } from "./open.ts"
import { isOutage } from "./outages.ts"

const group = (id: string) => ({
  id,
  name: id,
  name_key: id,
  description: "",
  source: "local",
  created_ms: 1,
  updated_ms: 1,
})

const opener = join(import.meta.dirname, "open.ts")

/** Opens, and so migrates, a database in another process. */
const migrateElsewhere = async (settings: object): Promise<unknown> => {
  const code = `import { openDatabase } from ${JSON.stringify(opener)}
    const db = await openDatabase(${JSON.stringify(settings)})
    await db.close()`
  const args = ["--input-type=module-typescript", "--eval", code]
  const [status] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit")
  return status
}

describe.each(chooseDatabases())("the database on $name", ({ open, createDatabase }) => {
  let database: OpenedDatabase

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.remove())

  const idsOf = async (prefix: string): Promise<string[]> => {
    const rows = await database.db.read.selectFrom("groups").select("id").orderBy("id").execute()
    return rows.map(({ id }) => id).filter((id) => id.startsWith(prefix))
  }

  it("calls back after the commit, once others see the write", async () => {
    const seen = new Promise<string[]>((resolve) => {
      void database.db.transact(async (tx) => {
        afterCommit(tx, () => resolve(idsOf("committed")))
        await tx.insertInto("groups").values(group("committed")).execute()
      })
    })
    expect(await seen).toEqual(["committed"])
  })

  it("stores nothing and does not call back when a transaction rolls back", async () => {
    let called = false
    const failing = database.db.transact(async (tx) => {
      afterCommit(tx, () => {
        called = true
      })
      await tx.insertInto("groups").values(group("rolled back")).execute()
      throw new Error("no")
    })
    await expect(failing).rejects.toThrow("no")
    expect(called).toBe(false)
    expect(await idsOf("rolled")).toEqual([])
  })

  it("commits every one of many concurrent transactions", async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `many ${String(n).padStart(2, "0")}`)
    await Promise.all(
      ids.map((id) =>
        database.db.transact(async (tx) => {
          await tx.insertInto("groups").values(group(id)).execute()
        }),
      ),
    )
    expect(await idsOf("many")).toEqual(ids)
  })

  it("runs transactions that name the same lock one after another", async () => {
    const order: string[] = []
    const enter = (name: string) =>
      database.db.transact(async (tx) => {
        await database.db.acquireLock(tx, "one at a time")
        order.push(`${name} in`)
        await sql`select 1`.execute(tx)
        order.push(`${name} out`)
      })
    await Promise.all(["a", "b", "c"].map(enter))
    for (let at = 0; at < order.length; at += 2) {
      expect(order[at + 1]).toBe(order[at]?.replace("in", "out"))
    }
  })

  it("leaves connections to others while many transactions wait for the same lock", async () => {
    const { db } = database
    const opened = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const waiting = Array.from({ length: 30 }, () =>
      db.transactLocked(["shared"], async () => {
        entered.resolve()
        await opened.promise
      }),
    )
    await entered.promise
    const read = idsOf("nothing")
    const [first] = await Promise.allSettled([read])
    opened.resolve()
    await Promise.all(waiting)
    expect(first).toEqual({ status: "fulfilled", value: [] })
  })

  it("does not deadlock transactions that name the same locks in different orders", async () => {
    const { db } = database
    const running = new Set<string>()
    const enter = (name: string, locks: string[]) =>
      db.transactLocked(locks, async (tx) => {
        expect([...running]).toEqual([])
        running.add(name)
        await sql`select 1`.execute(tx)
        running.delete(name)
      })
    const orders = [
      ["one", "two"],
      ["two", "one"],
      ["two", "two", "one"],
    ]
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => enter(`${n}`, orders[n % orders.length] ?? [])),
    )
    expect(running.size).toBe(0)
  })

  it("sorts and compares text by its bytes", async () => {
    const texts = ["b", "B", "a", "ä", "Z", "~", "😀", "\uffee"]
    await database.db.transact(async (tx) => {
      await tx
        .insertInto("groups")
        .values(texts.map((text) => group(`text ${text}`)))
        .execute()
    })
    const byBytes = texts.map((text) => `text ${text}`)
    byBytes.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    expect(await idsOf("text")).toEqual(byBytes)
  })

  it("is migrated once by four processes that start concurrently", async () => {
    const fresh = await createDatabase({ migrated: false })
    const settings = { DATA_DIR: fresh.dataDir, DATABASE_URL: fresh.url }
    const many = fresh.url === undefined ? 1 : 4
    const ends = await Promise.all(Array.from({ length: many }, () => migrateElsewhere(settings)))
    expect(ends).toEqual(Array.from({ length: many }, () => 0))
    const db = await openDatabase({ DATA_DIR: fresh.dataDir, DATABASE_URL: fresh.url })
    expect(await db.read.selectFrom("users").selectAll().execute()).toEqual([])
    await db.close()
    await fresh.remove()
  })
})

describe("an outage", () => {
  it.each(["postgres://nobody@127.0.0.1:1/none", "postgres://nobody:secret@localhost:1/none"])(
    "on startup names the database %s without its password",
    async (url) => {
      const opening = openDatabase({ DATABASE_URL: url, DATA_DIR: "/nowhere" })
      await expect(opening).rejects.toThrow(/^Cannot use the database \S+:1\/none \(DATABASE_URL\)/)
      await expect(opening).rejects.toThrow("ECONNREFUSED")
      await expect(opening).rejects.not.toThrow("secret")
    },
  )

  it("is distinguished from a faulty query", async () => {
    expect(isOutage(new Error("Connection terminated unexpectedly"))).toBe(true)
    expect(isOutage(Object.assign(new Error("no such column"), { code: "42703" }))).toBe(false)
  })
})
