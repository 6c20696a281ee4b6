import { type RawBuilder, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { openDatabase } from "../../src/db/open.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { percentile } from "../harness/timing.ts"

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const upTo = (count: number) => sql`with recursive n(i) as (
  select 1 union all select i + 1 from n where i < ${sql.lit(count)})`
const words = sql.lit("some words that a person wrote to a model ".repeat(4))

const chatRows = (id: string, owner: string): RawBuilder<unknown>[] => [
  sql`insert into chats (id, user_id, title, title_key, title_source, pinned, archived, shared, models, system, params, current_id, created_at, updated_at, text_bytes)
    values (${id}, ${owner}, 't', 't', 'words', 0, 0, 0, '[]', '', '{}', ${`${id}-100000`}, 0, 0, 1000000000)`,
  sql`insert into chat_messages (id, chat_id, position, role, content, reasoning, state, estimated, created_at, changed_ms)
    ${upTo(100_000)} select ${sql.lit(`${id}-`)} || i, ${sql.lit(id)}, i, 'user', ${words}, '', 'completed', 0, 0, 0 from n`,
  sql`insert into message_ratings (message_id, value, reason, rated_at)
    ${upTo(10_000)} select ${sql.lit(`${id}-`)} || i, 'up', '', 0 from n`,
]

const fileRows = (owner: string): RawBuilder<unknown> =>
  sql`insert into files (id, user_id, hash, filename, filename_key, content_type, size, metadata, status, text_length, created_at, updated_at)
    ${upTo(100_000)} select 'f' || i, ${owner}, 'h' || i, 'a', 'a', 'b', 1, '{}', 'stored', 2, 0, 0 from n`

const collectionRows = (id: string, owner: string): RawBuilder<unknown>[] => [
  sql`insert into collections (id, user_id, name, name_key, description, search, created_at, updated_at)
    values (${id}, ${owner}, ${id}, ${id}, '', 'hybrid', 0, 0)`,
  sql`insert into collection_files (collection_id, file_id)
    ${upTo(100_000)} select ${sql.lit(id)}, 'f' || i from n`,
]

/** Large objects, which could also have been stored through the API. */
const rowsOf = (owner: string): RawBuilder<unknown>[] => [
  ...chatRows("deleted", owner),
  ...chatRows("killed", owner),
  fileRows(owner),
  ...collectionRows("deleted", owner),
  ...collectionRows("reset", owner),
]

interface Deletion {
  object: string
  request: [method: string, path: string]
  /** How many rows are left. */
  left: RawBuilder<{ count: number }>
}

const messagesIn = (chat: string): Deletion["left"] =>
  sql`select count(*) as count from chat_messages where chat_id = ${chat}`
const filesIn = (collection: string): Deletion["left"] =>
  sql`select count(*) as count from collection_files where collection_id = ${collection}`

const deletions: Deletion[] = [
  {
    object: "a chat of 100,000 messages",
    request: ["DELETE", "/api/v1/chats/deleted"],
    left: messagesIn("deleted"),
  },
  {
    object: "a collection of 100,000 files",
    request: ["DELETE", "/api/v1/knowledge/deleted/delete?confirm=delete"],
    left: filesIn("deleted"),
  },
  {
    object: "all files of a collection of 100,000",
    request: ["POST", "/api/v1/knowledge/reset/reset"],
    left: filesIn("reset"),
  },
]

describe.each(chooseDatabases())("deleting one large object on $name", (kind) => {
  let database: TestDatabase
  let gateway: TestGatewayProcess
  let memberKey: string

  /** Runs `work` on the database while no gateway does. */
  const withDatabase = async <T>(
    work: (opened: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
  ): Promise<T> => {
    const opened = await openDatabase({ DATABASE_URL: database.url, DATA_DIR: database.dataDir })
    try {
      return await work(opened)
    } finally {
      await opened.close()
    }
  }

  beforeAll(async () => {
    database = await kind.createDatabase()
    gateway = await startTestGatewayProcess(database.env)
    const { id } = (await gateway.call("GET", "/api/v1/auths/")).body
    const member = { name: "Member", email: "member@example.com", password: "a long password" }
    await gateway.call("POST", "/api/v1/auths/add", member)
    memberKey = (await gateway.call("POST", "/api/v1/auths/signin", member)).body.token
    await gateway.stop()
    await withDatabase((db) =>
      db.runWithoutTimeout(async (writer) => {
        for (const rows of rowsOf(id)) await rows.execute(writer)
        if (db.dialect === "postgres") await sql`analyze`.execute(writer)
      }),
    )
    gateway = await startTestGatewayProcess(database.env)
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  /** Another user's write. */
  const write = async (): Promise<number> => {
    const startedAt = performance.now()
    const chat = { title: "short" }
    const { status } = await gateway.call("POST", "/api/v1/chats/new", chat, memberKey)
    expect(status).toBe(200)
    return performance.now() - startedAt
  }

  const countLeft = ({ left }: Pick<Deletion, "left">): Promise<number> =>
    withDatabase(async ({ read }) => Number((await left.execute(read)).rows[0]?.count))

  it.each(deletions)("delays the writes of others little: $object", async ({ request }) => {
    const control: number[] = []
    for (let n = 0; n < 30; n++) control.push(await write())
    let ended = false
    const deleted = gateway.call(...request).finally(() => {
      ended = true
    })
    const during: number[] = []
    while (!ended) during.push(await write())
    expect((await deleted).status).toBe(200)
    const limitOf = (share: number) => Math.max(5 * percentile(control, share), 250)
    expect(percentile(during, 0.95)).toBeLessThan(limitOf(0.95))
    expect(Math.max(...during)).toBeLessThan(4 * limitOf(1))
  })

  it("leaves nothing, and after kill -9 a shorter chat, which can be read and deleted", async () => {
    const request: Deletion["request"] = ["DELETE", "/api/v1/chats/killed"]
    const deletion = gateway.call(...request).catch(() => null)
    const readLast = async () =>
      (await gateway.call("GET", "/api/v1/chats/killed")).body.messages?.at(-1).id
    await vi.waitFor(async () => expect(await readLast()).not.toBe("killed-100000"), {
      timeout: 20_000,
    })
    await gateway.kill()
    expect(await deletion).toBeNull()
    for (const completed of deletions) expect(await countLeft(completed)).toBe(0)
    const left = await countLeft({ left: messagesIn("killed") })
    expect(left).toBeGreaterThan(0)

    gateway = await startTestGatewayProcess(database.env)
    const read = await gateway.call("GET", "/api/v1/chats/killed")
    expect(read.status).toBe(200)
    expect(read.body.messages.at(-1).id).toBe(`killed-${left}`)
    const exported = await gateway.call("GET", "/api/v1/chats/killed/export?format=markdown")
    expect(exported.status).toBe(200)
    expect((await gateway.call(...request)).status).toBe(200)
    expect((await gateway.call("GET", "/api/v1/chats/killed")).status).toBe(404)
  })
})
