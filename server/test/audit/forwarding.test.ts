import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { AuditEvent } from "../../src/audit/schema.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

/** Starts a log collector; `answer` maps the events received to a response status. */
const startCollector = async () => {
  const kept: AuditEvent[] = []
  const headers: string[] = []
  const collector = { answer: (_events: AuditEvent[]): number => 204 }
  const server = createServer(async (request, response) => {
    const events = (await text(request))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    headers.push(`${request.headers["content-type"]} ${request.headers.authorization}`)
    const status = collector.answer(events)
    if (status === 204) kept.push(...events)
    response.writeHead(status).end()
  })
  const port = await listenOnLoopback(server)
  return Object.assign(collector, {
    kept,
    headers,
    url: `http://127.0.0.1:${port}/ingest?source=portico`,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const createGroups = async (
  { call }: TestGateway,
  name: string,
  count: number,
): Promise<string[]> => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const { body } = await call("POST", "/api/v1/groups/create", { name: `${name} ${n}` })
    ids.push(body.id)
  }
  return ids
}

const groupsIn = (events: readonly AuditEvent[]): (string | null)[] =>
  events.filter(({ action }) => action === "group.created").map(({ target_id }) => target_id)

const forwardingStatus = async ({ call }: TestGateway) =>
  (await call("GET", "/api/v1/audit/status")).body.stream

describe.each(chooseDatabases())("forwarding of audit events on $name", ({ createDatabase }) => {
  const prepare = async () => {
    const database = await createDatabase()
    const collector = await startCollector()
    closing.push(database.remove, collector.close)
    const env = {
      ...database.env,
      AUDIT_STREAM: collector.url,
      AUDIT_STREAM_AUTHORIZATION: "Splunk 123",
    }
    return { collector, env }
  }
  const start = async (env: Record<string, string>): Promise<TestGateway> => {
    const gateway = await startGateway(env, { sealAfterMs: 250 })
    closing.push(gateway.stop)
    return gateway
  }
  const stop = async (gateway: TestGateway): Promise<void> => {
    closing.splice(closing.indexOf(gateway.stop), 1)
    await gateway.stop()
  }

  it("sends every event once and in order, and resumes after a restart", async () => {
    const { collector, env } = await prepare()
    const first = await start(env)
    const created = await createGroups(first, "before", 5)
    await expect.poll(() => groupsIn(collector.kept), { timeout: 20_000 }).toEqual(created)
    created.push(...(await createGroups(first, "while it stops", 5)))
    await stop(first)
    const second = await start(env)
    created.push(...(await createGroups(second, "after", 5)))
    await expect.poll(() => groupsIn(collector.kept), { timeout: 20_000 }).toEqual(created)
    expect(new Set(collector.kept.map(({ id }) => id)).size).toBe(collector.kept.length)
    expect(new Set(collector.headers)).toEqual(new Set(["application/x-ndjson Splunk 123"]))
    expect(await forwardingStatus(second)).toMatchObject({
      to: new URL(collector.url).host,
      dropped: 0,
      error: null,
    })
  })

  it("retries while the collector is unavailable, and drops and counts events that it rejects", async () => {
    const { collector, env } = await prepare()
    const gateway = await start(env)
    collector.answer = () => 503
    const created = await createGroups(gateway, "waits", 3)
    await expect
      .poll(async () => (await forwardingStatus(gateway)).error, { timeout: 20_000 })
      .toBe("The collector responded with status 503")
    expect((await forwardingStatus(gateway)).behind).toBeGreaterThan(0)
    const [, poison] = created
    collector.answer = (events) =>
      events.some(({ target_id }) => target_id === poison) ? 422 : 204
    await expect
      .poll(() => groupsIn(collector.kept), { timeout: 40_000 })
      .toEqual(created.filter((id) => id !== poison))
    await expect
      .poll(() => forwardingStatus(gateway))
      .toMatchObject({ behind: 0, dropped: 1, error: null })
  })

  it("sends every event once if several processes share the database", async ({ skip }) => {
    const { collector, env } = await prepare()
    if (!("DATABASE_URL" in env)) skip()
    const both = [await start(env), await start(env)]
    const created = await Promise.all(
      both.map((gateway, n) => createGroups(gateway, `at once ${n}`, 10)),
    )
    const sorted = () => groupsIn(collector.kept).toSorted()
    await expect.poll(sorted, { timeout: 20_000 }).toEqual(created.flat().toSorted())
  })

  it("writes events to the log, whatever its level", async () => {
    const database = await createDatabase()
    closing.push(database.remove)
    const gateway = await start({ ...database.env, AUDIT_STREAM: "stdout", LOG_LEVEL: "error" })
    const created = await createGroups(gateway, "logged", 3)
    const logged = () =>
      gateway.logLines.flatMap(({ msg, audit }) => (msg === "audit" ? [audit as AuditEvent] : []))
    await expect.poll(() => groupsIn(logged()), { timeout: 20_000 }).toEqual(created)
  })
})
