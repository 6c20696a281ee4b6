import { randomUUIDv7 } from "node:crypto"
import { type IncomingMessage, request } from "node:http"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { AuditEvent } from "../../src/audit/schema.ts"
import { chooseDatabases } from "../harness/databases.ts"
import {
  adminEmail,
  adminKey,
  startGatewayOnDatabase,
  type TestGateway,
} from "../harness/gateway.ts"
import { measureCpuMs } from "../harness/timing.ts"
import { upload } from "../knowledge/collections.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const many = 60_000

/** Inserts old events with actions that no other test here creates. */
const seed = ({ gateway }: TestGateway): Promise<unknown> =>
  gateway.db.transact((tx) =>
    sql`with recursive numbers(n) as
      (select 0 union all select n + 1 from numbers where n + 1 < ${sql.lit(many)})
      insert into audit_events (id, at, actor_type, action, target_type, target_id, outcome, request_id)
      select 'seeded-' || n, 1600000000 + n, 'system', 'seeded.' || (n % 7), 'thing', 'thing-' || n,
        case when n % 1000 = 0 then 'failure' else 'success' end, 'seed-' || n from numbers`.execute(
      tx,
    ),
  )

describe.each(chooseDatabases())("reading the audit log on $name", ({ createDatabase }) => {
  let gateway: TestGateway

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
    await seed(gateway)
  })
  afterAll(() => gateway.stop())

  const read = async (query: string, options = {}) =>
    gateway.call("GET", `/api/v1/audit?${query}`, undefined, options)
  /** The first page with results: on a busy machine, a page may be empty because time ran out. */
  const found = async (query: string): Promise<AuditEvent[]> => {
    let { body } = await read(query)
    while (body.items.length === 0 && body.next !== null) {
      body = (await read(`${query}&cursor=${body.next}`)).body
    }
    return body.items
  }

  it("returns every event exactly once across pages, even while new ones are written", async () => {
    const seen: string[] = []
    let cursor = ""
    let pages = 0
    do {
      const { body } = await read(`page_size=200&from=1600000000&to=1600001999${cursor}`)
      seen.push(...body.items.map(({ id }: AuditEvent) => id))
      cursor = body.next === null ? "" : `&cursor=${body.next}`
      await gateway.call("POST", "/api/v1/groups/create", { name: `paging ${pages++}` })
    } while (cursor !== "")
    expect(seen).toHaveLength(2000)
    expect(new Set(seen).size).toBe(2000)

    const first = (await read("page_size=3")).body
    await gateway.call("POST", "/api/v1/groups/create", { name: "between pages" })
    const second = (await read(`page_size=3&cursor=${first.next}`)).body
    const both = [...first.items, ...second.items]
    const all = (await found("page_size=7")).slice(1)
    expect(both.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  })

  it("filters by actor, action, target, outcome, address, request and time", async () => {
    const { id, key } = await gateway.createUser("Grace")
    const asGrace = { key, headers: { "x-request-id": "grace-asks" } }
    await gateway.call("POST", "/api/v1/auths/api_keys", { name: "second" }, asGrace)
    await gateway.call("POST", `/api/v1/users/${id}/update`, { active: false })

    const [created] = await found("request_id=grace-asks")
    expect(created).toMatchObject({
      action: "key.created",
      actor_id: id,
      actor_name: "grace@example.com",
      address: "127.0.0.1",
      outcome: "success",
      changed: [],
    })
    const [ended] = await found(`target=${id}&action=user.deactivated`)
    expect(ended).toMatchObject({
      actor_name: adminEmail,
      target_name: "grace@example.com",
      before: { active: true },
      after: { active: false },
    })
    expect(await found("target=grace@example.com&action=user.")).toHaveLength(2)
    expect((await found(`actor=${created?.key_id}`)).map((event) => event.id)).toContain(
      created?.id,
    )
    expect((await found("actor=GRACE@example.com"))[0]?.id).toBe(created?.id)
    expect(await found("action=key&address=127.0.0.1&actor=user")).not.toEqual([])
    expect(await found("address=10.9.8.7")).toEqual([])
    expect(await found("outcome=failure&to=1600000999")).toMatchObject([
      { target_id: "thing-0", outcome: "failure" },
    ])
    expect(await found("from=1600000010&to=1600000012")).toHaveLength(3)
    // The event may have been sealed since.
    const { block, ...same } = (await gateway.call("GET", `/api/v1/audit/${created?.id}`)).body
    expect(created).toMatchObject(same)
    expect((await gateway.call("GET", "/api/v1/audit/none")).status).toBe(404)
  })

  it("searches all parts of an event and the names of its actor and target", async () => {
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", {
      name: "Überseehafen",
    })
    expect(await found("query=übersee")).toMatchObject([
      { action: "group.created", target_id: group.id, target_name: "Überseehafen" },
    ])
    expect((await found("query=THING-31415"))[0]?.target_id).toBe("thing-31415")
    expect(await found("query=100%25")).toEqual([])
    expect(await found("query=_hing-31415")).toEqual([])
  })

  it("searches the names that the list shows, of every type of item and ignoring case", async () => {
    const post = async (path: string, body: object) => {
      const reply = await gateway.call("POST", `/api/v1${path}`, body)
      expect([path, reply.status]).toEqual([path, 200])
      return reply.body
    }
    const name = "Ärmel Harbour"
    const chat = await post("/chats/new", { title: name })
    await post(`/chats/${chat.id}/share`, {})
    await post("/knowledge/create", { name })
    await post("/prompts/create", { command: "harbour", title: name, content: "Hello" })
    const connection = { kind: "openai", name, base_url: "http://127.0.0.1:9/v1" }
    await post("/connections/create", connection)
    const content = `export async function* reply() { yield "said" }`
    await post("/functions/create", { id: "fn", name, content })
    await post("/models/create", { id: "model", name, base_model_id: "fn" })
    await upload(gateway, `${name}.md`, "# Tides")
    await post("/auths/api_keys", { name })
    await post("/groups/create", { name })
    const matches = async (query: string) =>
      (await found(`query=${encodeURIComponent(query)}`)).map(({ action }) => action).sort()
    const created = ["collection", "connection", "function", "group", "key", "model", "prompt"]
    const expected = [...created.map((noun) => `${noun}.created`), "chat.shared", "file.uploaded"]
    expect(await matches("äRMEL harb")).toEqual(expected.sort())
    expect(await matches("100%")).toEqual([])
  })

  it("searches the names of the people who acted, and of deleted items", async () => {
    const { id, key } = await gateway.createUser("Zoe")
    await gateway.call("POST", `/api/v1/users/${id}/update`, { name: "Zoë" })
    await gateway.call("POST", "/api/v1/auths/api_keys", { name: "second" }, { key })
    const byZoe = await found(`query=${encodeURIComponent("ZOË")}`)
    expect(byZoe.map(({ action }) => action)).toContain("key.created")
    const { body } = await gateway.call("POST", "/api/v1/knowledge/create", { name: "Überseekai" })
    await gateway.call("DELETE", `/api/v1/knowledge/${body.id}/delete`)
    const [deleted] = await found(`query=${encodeURIComponent("überseekai")}`)
    expect(deleted).toMatchObject({ action: "collection.deleted", target_name: "Überseekai" })
  })

  it("names the only account or group that was given or lost access", async () => {
    const { id } = await gateway.createUser("Bob")
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "Crew" })
    const collection = await gateway.call("POST", "/api/v1/knowledge/create", { name: "Charts" })
    const base_url = "http://127.0.0.1:9/v1"
    const input = { kind: "openai", name: "Shared", base_url, id_prefix: "shared" }
    const connection = await gateway.call("POST", "/api/v1/connections/create", input)
    const grant = (principal_type: string, principal_id: string, permission = "read") => ({
      ...{ principal_type, principal_id, permission },
    })
    const changeOf = async (path: string, changes: object) => {
      const { status } = await gateway.call("POST", `/api/v1/${path}/update`, changes)
      expect(status).toBe(200)
      return (await found(`target=${path.split("/")[1]}`))[0]?.access_change
    }
    const charts = `knowledge/${collection.body.id}`
    const steps: [object[], unknown][] = [
      [[grant("user", id)], ["granted", id, "Bob"]],
      [
        [grant("user", id), grant("user", id, "write")],
        ["changed", null, null],
      ],
      [
        [grant("user", id), grant("group", group.id)],
        ["changed", null, null],
      ],
      [[grant("user", id)], ["revoked", group.id, "Crew"]],
      [
        [grant("user", "*"), grant("user", id)],
        ["granted", "*", null],
      ],
    ]
    for (const [access_grants, expected] of steps) {
      const change = await changeOf(charts, { access_grants })
      expect(Object.values(change ?? {})).toEqual(expected)
    }
    expect(await changeOf(charts, { name: "Sea charts" })).toBeNull()
    const path = `connections/${connection.body.id}`
    const several = { change: "changed", principal_id: null, principal_name: null }
    expect(await changeOf(path, { access_grants: [grant("user", id)] })).toEqual(several)
    expect(await changeOf(path, { access_grants: [] })).toMatchObject({ principal_name: "Bob" })
    expect(await changeOf(path, { name: "Renamed", access_grants: [] })).toBeNull()
  })

  it("searches far back in steps, without blocking other requests, and reports where it stopped", async () => {
    const search = read("query=thing-1%20is%20nowhere&page_size=1")
    let longest = 0
    let total = 0
    let isDone = false
    const watching = (async () => {
      while (!isDone) {
        const ms = await measureCpuMs(() => sleep(5))
        longest = Math.max(longest, ms)
        total += ms
      }
    })()
    let { body } = await search
    let requests = 1
    while (body.next !== null) {
      expect(body.items).toEqual([])
      expect(body.searched_to).toEqual(expect.any(Number))
      body = (await read(`query=thing-1%20is%20nowhere&cursor=${body.next}`)).body
      requests++
    }
    isDone = true
    await watching
    expect(requests).toBeLessThan(60)
    // A search in a single step would take nearly the total; 25 ms is several times one step.
    expect(longest).toBeLessThan(Math.max(25, total / 2))
  })

  it("is limited to administrators, and rejects invalid queries", async () => {
    const { key } = await gateway.createUser("Eve")
    expect((await read("", { key })).status).toBe(403)
    for (const query of ["cursor=x", "cursor=1.%00", "page_size=0", "outcome=odd", "from=-1"]) {
      expect([query, (await read(query)).status]).toEqual([query, 422])
    }
    for (const query of ["actor='; drop table audit_events; --", "query=%25", "action=%25"]) {
      expect((await read(query)).status).toBe(200)
    }
  })

  it("exports events as NDJSON and CSV, with filters, and records the export", async () => {
    const whole = await gateway.call("GET", "/api/v1/audit/export?action=seeded.")
    const lines = whole.body.trim().split("\n")
    expect(lines).toHaveLength(many)
    expect(JSON.parse(lines[0])).toMatchObject({ target_id: `thing-${many - 1}` })
    expect(new Set(lines).size).toBe(many)
    const csv = await gateway.call("GET", "/api/v1/audit/export?format=csv&to=1600000001")
    expect(csv.headers.get("content-type")).toContain("text/csv")
    expect(csv.body.split("\r\n")).toHaveLength(4)
    expect(csv.body).toMatch(/^at,action,.*\r\n2020-09-13T12:26:41.000Z,seeded.1,success/)
    expect((await found("action=audit.exported")).length).toBe(2)
  })

  it("reads no further ahead of a slow client than its buffers hold", async () => {
    const headers = { authorization: `Bearer ${adminKey}` }
    const exported = request(`${gateway.url}/api/v1/audit/export`, { headers }).end()
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      exported.once("response", resolve).once("error", reject)
    })
    // Nothing reads the response, while another export is read to its end.
    await (await fetch(`${gateway.url}/api/v1/audit/export`, { headers })).text()
    const lateEvents = Array.from({ length: many / 1000 }, (_, index) => ({
      id: randomUUIDv7(),
      at: 1_600_000_000 + index * 1000,
      actor_type: "system",
      action: "added.late",
      outcome: "success",
    }))
    await gateway.gateway.db.transact(async (tx) => {
      await tx.insertInto("audit_events").values(lateEvents).execute()
    })
    // Newest first: the export contains a late event unless it had already read past its position.
    let eventsReadAhead = 0
    for await (const line of createInterface({ input: response })) {
      if (line.includes('"action":"added.late"')) break
      eventsReadAhead++
    }
    response.destroy()
    // The system's socket buffers hold about 12,000 of the 60,000 events.
    expect(eventsReadAhead).toBeLessThan(20_000)
    expect((await gateway.call("GET", "/health")).status).toBe(200)
  })
})
