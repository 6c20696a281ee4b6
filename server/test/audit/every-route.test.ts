import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { sql } from "kysely"
import { pino } from "pino"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createApp } from "../../src/app.ts"
import type { AuditEventRecord } from "../../src/audit/hash-chain.ts"
import type { Reader } from "../../src/db/database.ts"
import type { MountedRoute } from "../../src/http/server.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminPassword, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { password, prompt, scimToken } from "./fixtures.ts"
import type { RecipeRequest, Recipes } from "./recipes.ts"
import { createRecipes } from "./requests-by-route.ts"

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

/** Routes that do not record an audit event, by design, although they do not use GET. */
const exceptions: readonly RegExp[] = [
  // What is said in chats is private; requests to models are counted by usage records.
  /POST \/api\/v1\/chats/,
  /\/(chat\/completions|completions|embeddings|responses(\/(compact|input_tokens))?|messages(\/count_tokens)?)$/,
  /^ALL \/(ollama|openai)\//,
  // These only read, whatever their method.
  /POST .*\/responses\/:id\/cancel/,
  /POST \/api\/v1\/knowledge\/:id\/query/,
  /POST \/api\/v1\/files\/:id\/passages\/locate/,
  /POST \/api\/v1\/connections\/(test|:id\/test)/,
  /POST \/api\/v1\/sso\/providers\/:id\/test/,
  /POST \/api\/v1\/invitations\/open/,
  /POST \/api\/v1\/functions\/(check|id\/:id\/run)/,
  // Starts a sign-on, whose completion records the event, like the provider's call.
  /POST \/api\/v1\/sso\/:provider\/(link|backchannel-logout)/,
  // Parts of an upload; the last one creates the file and records the event.
  /\/api\/v1\/files\/resumable/,
  // Responds with 404 to paths that SCIM does not define.
  /ALL \/api\/v1\/scim/,
]

/** Reads all values of every table. @returns pairs of table name and bytes */
const readTables = async (read: Reader): Promise<[name: string, bytes: Buffer][]> => {
  const tables = await read.introspection.getTables()
  const bytesOf = (value: unknown): Uint8Array =>
    value instanceof Uint8Array ? value : Buffer.from(`${value}\n`)
  return Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(read)
      return [name, Buffer.concat(rows.flatMap((row) => Object.values(row).map(bytesOf)))]
    }),
  )
}

describe.each(chooseDatabases())(
  "every route that changes something on $name",
  ({ createDatabase }) => {
    let database: TestDatabase
    let gateway: TestGateway
    let routes: MountedRoute[]
    let closeAll: () => Promise<unknown>
    const secrets = [password, scimToken, prompt, adminPassword]

    beforeAll(async () => {
      database = await createDatabase()
      const upstream = await startFakeOpenAI()
      gateway = await startGateway({
        ...database.env,
        OPENAI_API_BASE_URLS: upstream.url,
        HF_ENDPOINT: upstream.url,
        ENABLE_SIGNUP: "true",
        DEFAULT_USER_ROLE: "user",
        SCIM_ENABLED: "true",
        SCIM_TOKEN: scimToken,
        SCIM_RATE_LIMIT: "off",
      })
      await waitForModels(gateway, ["gpt-fake"])
      const app = createApp(gateway.gateway, pino({ enabled: false }))
      routes = app.routes.filter(({ method }) => method !== "GET")
      closeAll = async () => {
        await gateway.stop()
        await upstream.close()
        await database.remove()
      }
    })
    afterAll(() => closeAll())

    const recipes = (): Recipes => createRecipes(gateway, secrets)

    const nameOf = ({ method, path }: MountedRoute): string => `${method} ${path}`

    const events = () =>
      gateway.gateway.db.read.selectFrom("audit_events").selectAll().orderBy("id").execute()

    /** Sign-ups have no actor ID: the caller has no account yet. */
    const isComplete = ({
      actor_type,
      actor_id,
      request_id,
      address,
      outcome,
    }: AuditEventRecord): boolean =>
      Boolean((actor_id || actor_type === "anonymous") && request_id) &&
      address === "127.0.0.1" &&
      outcome === "success"

    const call = async (
      method: string,
      { path, body, key, send }: RecipeRequest,
    ): Promise<number> => {
      if (send) return (await send()).status
      const options = key === undefined ? {} : { key }
      const reply = await gateway.call(method, path, body, options)
      const { token, api_key } = Object(reply.body)
      secrets.push(...[token, api_key].filter((secret) => typeof secret === "string"))
      return reply.status
    }

    it("has a recipe below or is listed as an exception", () => {
      const named = routes.map(nameOf)
      const excepted = (name: string): boolean => exceptions.some((pattern) => pattern.test(name))
      const called = Object.keys(recipes())
      const missing = named.filter((name) => !called.includes(name) && !excepted(name))
      expect(missing).toEqual([])
      expect(called.filter((name) => !named.includes(name))).toEqual([])
      expect(called.filter(excepted)).toEqual([])
    })

    it("records exactly one event, with actor, address and request ID", async () => {
      const wrong: unknown[] = []
      for (const [name, recipe] of Object.entries(recipes())) {
        const request = await recipe()
        const { length } = await events()
        const status = await call(name.split(" ")[0] ?? "", request)
        const recorded = (await events()).slice(length)
        const actions = recorded.map(({ action }) => action)
        const asExpected = request.actions
          ? actions.join() === request.actions.join()
          : recorded.length === 1
        if (status >= 300 || !asExpected || !recorded.every(isComplete))
          wrong.push([name, status, actions])
      }
      expect(wrong).toEqual([])
    })

    it("records no password, token, body or prompt in the audit log", async () => {
      const text = JSON.stringify(await events())
      expect(secrets.length).toBeGreaterThan(8)
      for (const secret of secrets) expect(text).not.toContain(secret)
      expect(text).not.toMatch(/\$scrypt\$|eyJhbGciOi/)
    })

    const readStored = (): [name: string, bytes: Buffer][] | Promise<[string, Buffer][]> => {
      if (database.url !== undefined) return readTables(gateway.gateway.db.read)
      const files = readdirSync(database.dataDir).filter((file) => file.startsWith("portico.db"))
      return files.map((file) => [file, readFileSync(join(database.dataDir, file))])
    }

    it("stores no plaintext password or token in any file or table of the database", async () => {
      const stored = await readStored()
      // Prompts are stored, which proves that this search finds stored text.
      expect(stored.some(([, bytes]) => bytes.includes(prompt))).toBe(true)
      for (const [name, bytes] of stored) {
        const found = secrets.filter((secret) => secret !== prompt && bytes.includes(secret))
        expect([name, found]).toEqual([name, []])
      }
    })
  },
)
