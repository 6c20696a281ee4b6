import { type RawBuilder, sql } from "kysely"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { openDatabase } from "../../src/db/open.ts"
import type { Tables } from "../../src/db/tables.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { percentile } from "../harness/timing.ts"

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

const upTo = (count: number) => sql`with recursive n(i) as (
  select 1 union all select i + 1 from n where i < ${sql.lit(count)})`
const words = sql.lit("some words that a person wrote to a model ".repeat(4))

const insertFiles = (count: number, owner: string) =>
  sql`insert into files (id, user_id, hash, filename, filename_key, content_type, size, metadata, status, text_length, created_at, updated_at)
    ${upTo(count)} select 'f' || i, ${owner}, 'h' || i, 'a', 'a', 'b', 1, '{}', 'stored', 2, 0, 0 from n`

interface Deletion {
  object: string
  /** Rows that could also have been stored through the API. */
  rows: (owner: string) => RawBuilder<unknown>[]
  request: [method: string, path: string, body?: object]
  emptied: (keyof Tables)[]
}

const largeChat: Deletion = {
  object: "a chat of 100,000 messages",
  rows: (owner) => [
    sql`insert into chats (id, user_id, title, title_key, title_source, pinned, archived, shared, models, system, params, current_id, created_at, updated_at, text_bytes)
      values ('c1', ${owner}, 't', 't', 'words', 0, 0, 0, '[]', '', '{}', 'm100000', 0, 0, 1000000000)`,
    sql`insert into chat_messages (id, chat_id, position, role, content, reasoning, state, estimated, created_at, changed_ms)
      ${upTo(100_000)} select 'm' || i, 'c1', i, 'user', ${words}, '', 'completed', 0, 0, 0 from n`,
    sql`insert into message_ratings (message_id, value, reason, rated_at)
      ${upTo(10_000)} select 'm' || i, 'up', '', 0 from n`,
  ],
  request: ["DELETE", "/api/v1/chats/c1"],
  emptied: ["chat_messages", "message_ratings"],
}

const collectionOfFiles = (owner: string) => [
  insertFiles(100_000, owner),
  sql`insert into collections (id, user_id, name, name_key, description, search, created_at, updated_at)
    values ('k1', ${owner}, 'k', 'k', '', 'hybrid', 0, 0)`,
  sql`insert into collection_files (collection_id, file_id) ${upTo(100_000)} select 'k1', 'f' || i from n`,
]

const deletions: Deletion[] = [
  largeChat,
  {
    object: "a collection of 100,000 files",
    rows: collectionOfFiles,
    request: ["DELETE", "/api/v1/knowledge/k1/delete?confirm=delete"],
    emptied: ["collections", "collection_files"],
  },
  {
    object: "all files of a collection of 100,000",
    rows: collectionOfFiles,
    request: ["POST", "/api/v1/knowledge/k1/reset"],
    emptied: ["collection_files"],
  },
]

describe.each(chooseDatabases())("deleting one large object on $name", (kind) => {
  let database: TestDatabase
  let gateway: TestGatewayProcess
  let memberKey: string

  beforeEach(async () => {
    database = await kind.createDatabase()
    gateway = await startTestGatewayProcess(database.env)
  })
  afterEach(async () => {
    await gateway.stop()
    await database.remove()
  })

  const fill = async ({ rows }: Deletion): Promise<void> => {
    const { id } = (await gateway.call("GET", "/api/v1/auths/")).body
    const member = { name: "Member", email: "member@example.com", password: "a long password" }
    await gateway.call("POST", "/api/v1/auths/add", member)
    const { token } = (await gateway.call("POST", "/api/v1/auths/signin", member)).body
    memberKey = token
    await gateway.stop()
    const db = await openDatabase({ DATABASE_URL: database.url, DATA_DIR: database.dataDir })
    await db.runWithoutTimeout(async (writer) => {
      for (const statement of rows(id)) await statement.execute(writer)
      if (db.dialect === "postgres") await sql`analyze`.execute(writer)
    })
    await db.close()
    gateway = await startTestGatewayProcess(database.env)
  }

  /** Another user's write. */
  const write = async (): Promise<number> => {
    const startedAt = performance.now()
    const chat = { title: "short" }
    const { status } = await gateway.call("POST", "/api/v1/chats/new", chat, memberKey)
    expect(status).toBe(200)
    return performance.now() - startedAt
  }

  const countRows = async (tables: Deletion["emptied"]): Promise<number[]> => {
    const db = await openDatabase({ DATABASE_URL: database.url, DATA_DIR: database.dataDir })
    const counts: number[] = []
    for (const table of tables) {
      const { count } = await db.read
        .selectFrom(table)
        .select(({ fn }) => fn.countAll().as("count"))
        .executeTakeFirstOrThrow()
      counts.push(Number(count))
    }
    await db.close()
    return counts
  }

  it.each(deletions)("delays the writes of others little: $object", async (deletion) => {
    await fill(deletion)
    const control: number[] = []
    for (let n = 0; n < 30; n++) control.push(await write())
    let ended = false
    const deleted = gateway.call(...deletion.request).finally(() => {
      ended = true
    })
    const during: number[] = []
    while (!ended) during.push(await write())
    expect((await deleted).status).toBe(200)
    const limitOf = (share: number) => Math.max(5 * percentile(control, share), 250)
    expect(percentile(during, 0.95)).toBeLessThan(limitOf(0.95))
    expect(Math.max(...during)).toBeLessThan(4 * limitOf(1))
    await gateway.stop()
    expect(await countRows(deletion.emptied)).toEqual(deletion.emptied.map(() => 0))
  })

  it("leaves a shorter chat after kill -9, which can be read and deleted", async () => {
    await fill(largeChat)
    const deletion = gateway.call(...largeChat.request).catch(() => null)
    const readLast = async () =>
      (await gateway.call("GET", "/api/v1/chats/c1")).body.messages?.at(-1).id
    await vi.waitFor(async () => expect(await readLast()).not.toBe("m100000"), { timeout: 20_000 })
    await gateway.kill()
    expect(await deletion).toBeNull()
    const [left = 0] = await countRows(["chat_messages"])
    expect(left).toBeGreaterThan(0)

    gateway = await startTestGatewayProcess(database.env)
    const read = await gateway.call("GET", "/api/v1/chats/c1")
    expect(read.status).toBe(200)
    expect(read.body.messages.at(-1).id).toBe(`m${left}`)
    expect((await gateway.call("GET", "/api/v1/chats/c1/export?format=markdown")).status).toBe(200)
    expect((await gateway.call(...largeChat.request)).status).toBe(200)
    expect((await gateway.call("GET", "/api/v1/chats/c1")).status).toBe(404)
  })
})
