import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Database } from "../../src/db/database.ts"
import { openDatabase } from "../../src/db/open.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { percentile } from "../harness/timing.ts"

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const chats = 500

const ownedTables = [
  "chats",
  "chat_messages",
  "chat_tags",
  "message_ratings",
  "files",
  "passages",
  "collections",
  "collection_files",
  "access_grants",
  "stored_responses",
  "stored_response_items",
] as const

interface Filling {
  userId: string
  /** Prefix of all ids. */
  prefix: string
  /** The number of messages, and of passages. */
  size: number
}

const fillAccount = async (db: Database, { userId, prefix, size }: Filling): Promise<void> => {
  const id = (kind: string) => sql.lit(prefix + kind)
  const upTo = (count: number) => sql`with recursive n(i) as (
    select 1 union all select i + 1 from n where i < ${sql.lit(count)})`
  const text = "'some words that a person wrote to a model, some words that a person wrote'"
  const words = sql.raw(text)
  await db.runWithoutTimeout(async (writer) => {
    for (const statement of [
      sql`insert into chats (id, user_id, title, title_key, title_source, pinned, archived, shared, models, system, params, created_at, updated_at, text_bytes)
        ${upTo(chats)} select ${id("c")} || i, ${userId}, 't', 't', 'words', 0, 0, 0, '[]', '', '{}', 0, 0, 3 from n`,
      sql`insert into chat_tags (chat_id, tag) ${upTo(chats)} select ${id("c")} || i, 'tag' from n`,
      sql`insert into chat_messages (id, chat_id, position, role, content, reasoning, state, estimated, created_at, changed_ms)
        ${upTo(size)} select ${id("m")} || i, ${id("c")} || (1 + i % ${sql.lit(chats)}), i, 'user', ${words}, '', 'done', 0, 0, 0 from n`,
      sql`insert into message_ratings (message_id, value, reason, rated_at)
        ${upTo(size / 10)} select ${id("m")} || i, 'up', '', 0 from n`,
      sql`insert into files (id, user_id, hash, filename, filename_key, content_type, size, metadata, status, text_length, created_at, updated_at)
        ${upTo(200)} select ${id("f")} || i, ${userId}, ${id("h")} || i, 'a', 'a', 'b', 1, '{}', 'stored', 2, 0, 0 from n`,
      sql`insert into passages (file_id, position, starts, ends, text, place)
        ${upTo(size)} select ${id("f")} || (1 + i % 200), i, 0, 1, ${words}, '' from n`,
      sql`insert into collections (id, user_id, name, name_key, description, search, created_at, updated_at)
        ${upTo(100)} select ${id("k")} || i, ${userId}, 'k', 'k', '', '', 0, 0 from n`,
      sql`insert into collection_files (collection_id, file_id)
        ${upTo(size / 5 - 1)} select ${id("k")} || (1 + i % 100), ${id("f")} || (1 + i / 100) from n`,
      sql`insert into access_grants (resource_type, resource_id, principal_type, principal_id, permission)
        ${upTo(100)} select 'collection', ${id("k")} || i, 'user', '*', 'read' from n`,
      sql`insert into stored_responses (id, user_id, response, item_bytes, bytes, created_at)
        ${upTo(1000)} select ${id("r")} || i, ${userId}, '{}', 1, 4, i from n`,
      sql`insert into stored_response_items (user_id, response_id, position, item_id, is_output, item, bytes, created_at)
        ${upTo(size / 2)} select ${userId}, ${id("r")} || (1 + i % 1000), i, ${id("i")} || i, 0, ${words}, 1, i from n`,
    ])
      await statement.execute(writer)
    if (db.dialect === "postgres") await sql`analyze`.execute(writer)
  })
}

/** Gives an account many rows, which it could also have stored through the API. */
const fill = async ({ url, dataDir }: TestDatabase, filling: Filling): Promise<void> => {
  const db = await openDatabase({ DATABASE_URL: url, DATA_DIR: dataDir })
  await fillAccount(db, filling)
  await db.close()
}

describe.each(chooseDatabases())("deleting an account with much data on $name", (kind) => {
  let database: TestDatabase
  let gateway: TestGatewayProcess
  let ids: [string, string]
  let rowsOfSecond: Record<string, number>

  const createAccount = async (name: string): Promise<string> => {
    const account = { name, email: `${name}@example.com`, password: "a long password" }
    return (await gateway.call("POST", "/api/v1/auths/add", account)).body.id
  }

  beforeAll(async () => {
    database = await kind.createDatabase()
    gateway = await startTestGatewayProcess(database.env)
    ids = [await createAccount("first"), await createAccount("second")]
    await gateway.stop()
    // Enough for a kill to come in the middle of the deletion.
    await fill(database, { userId: ids[1], prefix: "1-", size: 50_000 })
    rowsOfSecond = await countRows()
    await fill(database, { userId: ids[0], prefix: "0-", size: 100_000 })
    gateway = await startTestGatewayProcess(database.env)
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const write = async (): Promise<number> => {
    const startedAt = performance.now()
    const { status } = await gateway.call("POST", "/api/v1/groups/create", {
      name: `group ${crypto.randomUUID()}`,
    })
    expect(status).toBe(200)
    return performance.now() - startedAt
  }

  const countRows = async (): Promise<Record<string, number>> => {
    const db = await openDatabase({ DATABASE_URL: database.url, DATA_DIR: database.dataDir })
    const rows: Record<string, number> = {}
    for (const table of ownedTables) {
      const { count } = await db.read
        .selectFrom(table)
        .select(({ fn }) => fn.countAll().as("count"))
        .executeTakeFirstOrThrow()
      if (Number(count) > 0) rows[table] = Number(count)
    }
    await db.close()
    return rows
  }

  const readDeletions = async (id: string): Promise<number> => {
    const query = `action=user.deleted&target=${id}`
    return (await gateway.call("GET", `/api/v1/audit?${query}`)).body.items.length
  }

  it("delays the writes of others little, and deletes everything", async () => {
    const [id] = ids
    const control: number[] = []
    for (let n = 0; n < 30; n++) control.push(await write())

    let ended = false
    const remove = () => gateway.call("DELETE", `/api/v1/users/${id}?confirm=delete`)
    const deletions = Promise.all([remove(), remove()]).finally(() => {
      ended = true
    })
    const during: number[] = []
    while (!ended) during.push(await write())
    expect((await deletions).map(({ status }) => status)).toEqual([200, 200])
    expect(await readDeletions(id)).toBe(1)
    expect((await remove()).status).toBe(404)

    const limitOf = (share: number) => Math.max(5 * percentile(control, share), 250)
    expect(percentile(during, 0.5)).toBeLessThan(limitOf(0.5))
    expect(percentile(during, 0.95)).toBeLessThan(limitOf(0.95))
    expect(Math.max(...during)).toBeLessThan(4 * limitOf(1))
    await gateway.stop()
    expect(await countRows()).toEqual(rowsOfSecond)
    gateway = await startTestGatewayProcess(database.env)
  })

  it("refuses to activate the account meanwhile, and finishes after kill -9", async () => {
    const [, id] = ids
    const isActive = async () => (await gateway.call("GET", `/api/v1/users/${id}`)).body.active
    const deletion = gateway.call("DELETE", `/api/v1/users/${id}?confirm=delete`).catch(() => null)
    await vi.waitFor(async () => expect(await isActive()).toBe(false), { timeout: 20_000 })
    const change = (changes: object) => gateway.call("POST", `/api/v1/users/${id}/update`, changes)
    expect(await change({ active: true })).toMatchObject({
      status: 409,
      body: { code: "conflict", detail: expect.stringContaining("is being deleted") },
    })
    expect((await change({ name: "Renamed" })).status).toBe(200)
    expect(await isActive()).toBe(false)
    await gateway.kill()
    expect(await deletion).toBeNull()
    expect(await countRows()).toMatchObject({ chat_messages: expect.any(Number) })

    gateway = await startTestGatewayProcess(database.env)
    await vi.waitFor(
      async () => expect((await gateway.call("GET", `/api/v1/users/${id}`)).status).toBe(404),
      { timeout: 120_000, interval: 200 },
    )
    await gateway.stop()
    expect(await countRows()).toEqual({})
  })
})
