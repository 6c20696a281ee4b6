import { hash } from "node:crypto"
import { type Kysely, sql } from "kysely"
import { describe, expect, it, vi } from "vitest"
import type { Tables } from "../../src/db/tables.ts"
import { createOldDatabase } from "../db/old-database.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { adminEmail, adminKey, startGateway } from "../harness/gateway.ts"

vi.setConfig({ testTimeout: 60_000 })

/** Two conversations of one user with multibyte text, an image, a cited passage and reasoning. */
const insertConversations = async (db: Kysely<Tables>): Promise<void> => {
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(`insert into users (id, email, email_key, name, name_key, role, active, source, created_ms, updated_ms)
    values ('u', '${adminEmail}', '${adminEmail}', 'Ada', 'ada', 'admin', 1, 'local', 0, 0)`)
  await run(`insert into api_keys (id, user_id, name, hash, hint, created_at)
    values ('k', 'u', 'test', '${hash("sha256", adminKey)}', '6789', 0)`)
  await run(`insert into chats (id, user_id, title, title_key, title_source, pinned, archived, shared, models, system, params, created_at, updated_at)
    values ('c1', 'u', 'One', 'one', 'words', 0, 0, 0, '[]', 'Kürze', '{"a":1}', 0, 0),
      ('c2', 'u', 'Two', 'two', 'words', 0, 0, 0, '[]', '', '{}', 0, 0)`)
  const columns =
    "id, chat_id, position, role, content, content_key, reasoning, state, estimated, created_at, changed_ms, files, sources"
  await run(`insert into chat_messages (${columns})
    values ('m1', 'c1', 0, 'user', 'Straße Ä', 'strasse ä', '', 'completed', 0, 0, 0, '[]', null),
      ('m2', 'c1', 1, 'assistant', 'Привет', 'привет', 'hm', 'completed', 0, 0, 0, null, '[null]')`)
  await run("insert into chat_passages (message_id, texts) values ('m2', '[\"péage\"]')")
  await run(`insert into chat_images (id, message_id, position, media_type, base64)
    values ('i1', 'm1', 0, 'image/png', 'AAAABBBB')`)
}

const bytes = (...texts: string[]): number => Buffer.byteLength(texts.join(""))

describe.each(chooseDatabases())(
  "a database from before storage was counted on $name",
  ({ createDatabase }) => {
    it("has its conversations counted and searchable after the migration", async () => {
      const database = await createDatabase({ migrated: false })
      try {
        await createOldDatabase(database, "0013-storage-by-user", insertConversations)
        const gateway = await startGateway(database.env)
        try {
          expect(gateway.logLines).toContainEqual(
            expect.objectContaining({
              msg: expect.stringMatching(/Migrating.*0013-storage-by-user/),
            }),
          )
          const { body } = await gateway.call("GET", "/api/v1/storage")
          const texts = bytes("Kürze", '{"a":1}', "{}", "Straße Ä", "[]")
          const answer = bytes("Привет", "hm", "[null]", '["péage"]')
          expect(body.breakdown).toMatchObject({
            chats: texts + answer + 2 * 500 + 2 * 400,
            images: 8,
          })
          for (const text of ["ä", "ПРИВЕТ", "STRASSE"]) {
            const path = `/api/v1/chats/?query=${encodeURIComponent(text)}`
            expect((await gateway.call("GET", path)).body, text).toMatchObject({
              total: 1,
              items: [{ id: "c1" }],
            })
          }
          await gateway.call("DELETE", "/api/v1/chats/c1")
          const { body: after } = await gateway.call("GET", "/api/v1/storage")
          expect(after.breakdown).toMatchObject({ chats: 502, images: 0 })
        } finally {
          await gateway.stop()
        }
      } finally {
        await database.remove()
      }
    })
  },
)
