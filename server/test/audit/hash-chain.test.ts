import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Kysely, type RawBuilder, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { openPostgresWithoutTimeout } from "../../src/db/postgres.ts"
import { openSqlite } from "../../src/db/sqlite.ts"
import type { Tables } from "../../src/db/tables.ts"
import { createTestBackground } from "../harness/background.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

// These tests start separate processes.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const script = join(import.meta.dirname, "../../src/audit-verify.ts")
const secretKey = "a secret key for the tests, long enough"

const protectedTables = {
  audit_events: ["update", "delete"],
  audit_blocks: ["update", "delete"],
} as const

describe.each(chooseDatabases())("the audit log's hash chain on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  const createGroups = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const { status } = await gateway.call("POST", "/api/v1/groups/create", {
        name: `g${Math.random()}`,
      })
      expect(status).toBe(200)
    }
    await gateway.gateway.auditProcessing.sealer.sealAll()
  }

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway(database.env, { sealAfterMs: 1000 })
    await createGroups(6)
    await createGroups(6)
    await createGroups(6)
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const verify = async (args: string[] = [], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [script, ...args], {
      env: { PATH: process.env.PATH, SECRET_KEY: secretKey, ...database.env, ...env },
    })
    let said = ""
    for (const output of [child.stdout, child.stderr]) {
      output.on("data", (chunk) => {
        said += chunk
      })
    }
    const [code] = await once(child, "close")
    return { code, printed: said }
  }

  const disableTriggers = async (db: Kysely<Tables>): Promise<void> => {
    for (const [table, verbs] of Object.entries(protectedTables)) {
      if (database.url !== undefined) {
        await sql.raw(`alter table ${table} disable trigger user`).execute(db)
        continue
      }
      for (const verb of verbs) await sql.raw(`drop trigger if exists ${table}_${verb}`).execute(db)
    }
  }

  /** Changes the database as its owner can: with the triggers disabled. */
  const tamper = async (...statements: RawBuilder<unknown>[]): Promise<void> => {
    const opened =
      database.url === undefined ? openSqlite(database.dataDir, createTestBackground()) : undefined
    const db = opened?.writer ?? openPostgresWithoutTimeout(database.url ?? "")
    await disableTriggers(db)
    for (const statement of statements) await statement.execute(db)
    await (opened?.close() ?? db.destroy())
  }

  const eventIdInBlock = async (block: number, offset = 2): Promise<string> => {
    const { rows } = await sql<{ id: string }>`
      select id from audit_events where block = ${block} order by id limit 1 offset ${offset}
    `.execute(gateway.gateway.db.read)
    return rows[0]?.id ?? ""
  }

  it("is valid after concurrent writes by several processes", async () => {
    const others =
      database.url === undefined
        ? []
        : await Promise.all([startGateway(database.env), startGateway(database.env)])
    await Promise.all(
      [gateway, ...others].map(async ({ call, gateway: { auditProcessing } }, writer) => {
        for (let n = 0; n < 40; n++) {
          await call("POST", "/api/v1/groups/create", { name: `at once ${writer} ${n}` })
          if (n % 10 === 0) await auditProcessing.sealer.sealAll()
        }
      }),
    )
    for (const other of others) await other.stop()
    await gateway.gateway.auditProcessing.sealer.sealAll()
    const { code, printed } = await verify()
    expect([code, printed]).toEqual([0, expect.stringContaining("The audit log is intact.")])
    expect(printed).toContain(" 0 not sealed yet")
  })

  it("is sealed automatically a few seconds after an event", async () => {
    await gateway.call("POST", "/api/v1/groups/create", { name: "waits" })
    const countUnsealed = async () => {
      const { rows } = await sql<{ left: number }>`
        select count(*) as "left" from audit_events where block is null
      `.execute(gateway.gateway.db.read)
      return Number(rows[0]?.left)
    }
    expect(await countUnsealed()).toBeGreaterThan(0)
    await expect.poll(countUnsealed, { timeout: 15_000 }).toBe(0)
  })

  it("rejects every change except sealing, in the database and in the API", async () => {
    const { db } = gateway.gateway
    const id = await eventIdInBlock(1)
    for (const statement of [
      sql`update audit_events set action = 'x' where id = ${id}`,
      sql`update audit_events set block = 99 where id = ${id}`,
      sql`update audit_events set block = null where id = ${id}`,
      sql`delete from audit_events where id = ${id}`,
      sql`delete from audit_events`,
      sql`update audit_blocks set hash = 'x' where number = 1`,
      sql`update audit_blocks set pruned_at = 1, hash = 'x' where number = 1`,
      sql`delete from audit_blocks where number = 1`,
    ]) {
      const refused = db.transact((tx) => statement.execute(tx))
      await expect(refused).rejects.toThrow("the audit trail is never changed")
    }
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect((await gateway.call(method, `/api/v1/audit/${id}`, {})).status).toBe(405)
    }
    expect((await verify()).code).toBe(0)
  })

  it("can be verified after SECRET_KEY changes, given the former key", async () => {
    const other = "another secret key of the tests, as long"
    expect(await verify([], { SECRET_KEY: other })).toMatchObject({
      code: 1,
      printed: expect.stringContaining("sealed with a SECRET_KEY that was not provided"),
    })
    const former = join(database.dataDir, "former.key")
    writeFileSync(former, secretKey)
    const { code, printed } = await verify(["--former-key", former], { SECRET_KEY: other })
    expect([code, printed]).toEqual([0, expect.stringContaining("The audit log is intact.")])
  })

  it("must contain the block passed with --expect", async () => {
    const { printed } = await verify()
    const [, block = ""] = /Last block: (\S+)/.exec(printed) ?? []
    await createGroups(1)
    expect((await verify(["--expect", block])).code).toBe(0)
    const forged = block.replace(/:.{4}/, ":0000")
    expect(await verify(["--expect", forged])).toMatchObject({
      code: 1,
      printed: expect.stringContaining("does not match the expected hash"),
    })
    expect((await verify(["--expect", "nonsense"])).code).toBe(2)
  })

  it("stays valid when old events are pruned, and records the pruning", async () => {
    const { auditProcessing, db } = gateway.gateway
    const before = await db.read
      .selectFrom("audit_events")
      .select(({ fn }) => [fn.countAll<number>().as("n"), fn.max("at").as("newest")])
      .executeTakeFirstOrThrow()
    // Until all are older than the retention of one second.
    await expect.poll(() => Date.now() / 1000).toBeGreaterThan(Number(before.newest) + 2)
    await gateway.call("POST", "/api/v1/settings/", { audit_retention: 1 })
    await auditProcessing.deleteExpired()
    await gateway.call("POST", "/api/v1/settings/", { audit_retention: 0 })
    await createGroups(3)
    const { body } = await gateway.call("GET", "/api/v1/audit?action=audit.pruned")
    expect(body.items).toMatchObject([
      { actor_type: "system", after: { events: expect.any(Number) } },
    ])
    expect(body.items[0].after.events).toBeGreaterThanOrEqual(Number(before.n) - 1)
    expect((await gateway.call("GET", "/api/v1/audit/status")).body).toMatchObject({
      blocks: expect.any(Number),
      pruned_to: expect.any(Number),
    })
    const { code, printed } = await verify()
    expect([code, printed]).toEqual([
      0,
      expect.stringMatching(/Events of blocks 1 to \d+ were deleted/),
    ])
  })

  // The remaining tests damage the log, each one what the previous left of it.
  it("detects changed, moved, added and renamed events, and a changed seal", async () => {
    await createGroups(4)
    await createGroups(4)
    await createGroups(4)
    const { blocks } = (await gateway.call("GET", "/api/v1/audit/status")).body
    const { number: last } = { number: Number(blocks) }
    const first = await eventIdInBlock(last - 2)
    const second = await eventIdInBlock(last - 1)
    const third = await eventIdInBlock(last)
    const copy = (id: string, block: number) => sql`
      insert into audit_events (id, at, actor_type, action, outcome, count, block)
      select ${id}, at, actor_type, action, outcome, count, ${block} from audit_events
      where block = ${block} limit 1`
    const damages: [string, RawBuilder<unknown>[], RawBuilder<unknown>[], RegExp][] = [
      [
        "changed",
        [sql`update audit_events set outcome = 'failure' where id = ${first}`],
        [sql`update audit_events set outcome = 'success' where id = ${first}`],
        new RegExp(`Block ${last - 2}: event ${first} .* was altered after it was sealed`),
      ],
      [
        "moved to another block",
        [sql`update audit_events set block = ${last} where id = ${second}`],
        [sql`update audit_events set block = ${last - 1} where id = ${second}`],
        new RegExp(`Block ${last - 1} is missing 1 of its events`),
      ],
      [
        "added",
        [copy("added", last)],
        [sql`delete from audit_events where id = 'added'`],
        new RegExp(`Block ${last}: event added .* was added`),
      ],
      [
        "renamed",
        [sql`update audit_events set id = ${`zz${third}`} where id = ${third}`],
        [sql`update audit_events set id = ${third} where id = ${`zz${third}`}`],
        new RegExp(`Block ${last}: event zz${third} .* was altered after it was sealed`),
      ],
      [
        "resealed",
        [sql`update audit_blocks set seal = ${"0".repeat(64)} where number = ${last - 1}`],
        [],
        new RegExp(`Block ${last - 1}: the seal was altered`),
      ],
    ]
    expect((await verify()).code).toBe(0)
    for (const [name, harm, repair, words] of damages) {
      await tamper(...harm)
      const { code, printed } = await verify()
      expect([name, code, printed]).toEqual([name, 1, expect.stringMatching(words)])
      await tamper(...repair)
    }
  })

  it("detects removed events, removed blocks and a truncated chain", async () => {
    const { blocks } = (await gateway.call("GET", "/api/v1/audit/status")).body
    const last = Number(blocks)
    const removedId = await eventIdInBlock(last)
    await tamper(sql`delete from audit_events where id = ${removedId}`)
    expect((await verify()).printed).toContain(`Block ${last} is missing 1 of its events`)
    await tamper(
      sql`delete from audit_events where block = ${last}`,
      sql`delete from audit_blocks where number = ${last}`,
    )
    expect((await verify()).printed).toContain(
      `ends at block ${last - 1}, but should end at block ${last}`,
    )
    await tamper(sql`delete from audit_state where name = 'head'`)
    expect((await verify()).printed).toContain("The signed end of the chain was removed")
    await tamper(sql`delete from audit_blocks where number = ${last - 1}`)
    expect((await verify()).printed).toContain(`Block ${last - 1} was removed`)
    await tamper(
      sql`update audit_blocks set pruned_at = 5, digests = '' where number = ${last - 3}`,
    )
    expect((await verify()).printed).toContain(`Blocks up to ${last - 3} are marked as pruned`)
  })
})
