import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** A provider that lists its models once `release` is called, if a model has been added. */
const startProvider = async () => {
  const models = ["base"]
  const requested = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const server: Server = createServer(async (_request, response) => {
    const data = models.map((id) => ({ id, object: "model", created: 0, owned_by: "x" }))
    if (models.length > 1) {
      requested.resolve()
      await released.promise
    }
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data }))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  const url = `http://127.0.0.1:${port}/v1`
  return { models, server, url, requested: requested.promise, release: released.resolve }
}

interface Event {
  before: { version: number }
}

describe.each(chooseDatabases())(
  "editors racing with other changes on $name",
  ({ createDatabase }) => {
    let database: TestDatabase
    let gateway: TestGateway
    let provider: Awaited<ReturnType<typeof startProvider>>

    beforeAll(async () => {
      database = await createDatabase()
      provider = await startProvider()
      gateway = await startGateway({
        ...database.env,
        OPENAI_API_BASE_URLS: provider.url,
        OPENAI_API_KEYS: "sk-upstream",
      })
    })
    afterAll(async () => {
      await gateway.stop()
      provider.server.close()
      await database.remove()
    })

    it("cannot keep access to a model by an update that waits for a provider while access is revoked", async () => {
      const writer = await gateway.createUser("Mo")
      const { body: group } = await gateway.call("POST", "/api/v1/groups/create", {
        name: "Makers",
      })
      const move = (verb: "add" | "remove") => {
        const path = `/api/v1/groups/${group.id}/members/${verb}`
        return gateway.call("POST", path, { user_ids: [writer.id] })
      }
      await move("add")
      const grants = [{ principal_type: "group", principal_id: group.id, permission: "write" }]
      const model = { id: "shared", name: "Shared", base_model_id: "base", access_grants: grants }
      expect((await gateway.call("POST", "/api/v1/models/create", model)).status).toBe(200)
      provider.models.push("fresh")
      const own = { principal_type: "user", principal_id: writer.id, permission: "write" }
      const changes = { base_model_id: "fresh", access_grants: [...grants, own] }
      const path = "/api/v1/models/model/update?id=shared"
      const updating = gateway.call("POST", path, changes, { key: writer.key })
      await provider.requested
      expect((await move("remove")).status).toBe(200)
      provider.release()
      expect((await updating).status).toBe(404)
      const { body } = await gateway.call("GET", "/api/v1/models/model?id=shared")
      expect(body).toMatchObject({ base_model_id: "base", access_grants: grants })
    })

    it("never lose a function's source when it is saved concurrently", async () => {
      const source = (text: string) => `export const reply = () => "${text}"\n`
      const call = (path: string, body: object) =>
        gateway.call("POST", `/api/v1/functions${path}`, body)
      const first = source("first")
      const created = await call("/create", { id: "raced", name: "Raced", content: first })
      expect(created.status, JSON.stringify(created.body)).toBe(200)
      for (let round = 0; round < 5; round++) {
        const isDone = { now: false }
        const saveFirst = async (): Promise<void> => {
          while (!isDone.now) await call("/id/raced/update", { name: "Raced", content: first })
        }
        const saving = Array.from({ length: 8 }, saveFirst)
        await call("/id/raced/update", { content: source(`round ${round}`) })
        isDone.now = true
        await Promise.all(saving)
        await call("/id/raced/update", { content: first })
      }
      const trail = "/api/v1/audit?action=function.updated&page_size=200"
      const { body } = await gateway.call("GET", trail)
      const withoutSource = body.items.filter(
        ({ changed }: { changed: string[] }) => !changed.includes("content"),
      )
      const versions = new Set<number>(withoutSource.map((event: Event) => event.before.version))
      for (const version of versions) {
        const kept = await gateway.call("GET", `/api/v1/functions/id/raced/versions/${version}`)
        expect(kept.body.content).toBe(first)
      }
    })
  },
)
