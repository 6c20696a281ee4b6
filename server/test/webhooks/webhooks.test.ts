import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startWebhookReceiver, type WebhookReceiver } from "../fakes/webhook-receiver.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

const path = "/api/v1/webhook"

describe.each(chooseDatabases())("the webhook on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let receiver: WebhookReceiver
  let gateway: TestGateway

  beforeAll(async () => {
    receiver = await startWebhookReceiver()
    database = await createDatabase()
    gateway = await startGateway(database.env, { webhookPollMs: 20 })
  })
  beforeEach(async () => {
    await gateway.call("DELETE", path)
    receiver.respondWith(200)
    receiver.received.length = 0
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
    await receiver.close()
  })

  const set = (url = receiver.url) => gateway.call("PUT", path, { url })
  const read = async () => (await gateway.call("GET", path)).body
  const test = () => gateway.call("POST", `${path}/test`)

  it("shows its secret once, and keeps it when the address changes", async () => {
    expect(await read()).toEqual({
      ...{ url: null, secret_created_at: null, last_delivery: null, waiting: 0 },
    })
    const { status, body } = await set()
    expect(status).toBe(200)
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await read()).toEqual({ ...body, secret: undefined })
    const changed = await set(`${receiver.url}&next=1`)
    expect(changed.body).toMatchObject({ url: `${receiver.url}&next=1`, secret: null })
    const [stored] = await gateway.gateway.db.read.selectFrom("webhooks").selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(body.secret.slice("whsec_".length))
    await test()
    const [event] = receiver.received
    expect(event?.headers).toMatchObject({ "content-type": "application/json" })
    expect(new Webhook(body.secret).verify(event?.body ?? "", event?.headers ?? {})).toMatchObject({
      type: "webhook.test",
    })
  })

  it("signs with a new secret at once", async () => {
    const before = (await set()).body.secret
    const { body } = await gateway.call("POST", `${path}/secret`)
    expect(body.secret).not.toBe(before)
    await test()
    const { headers = {}, body: sent = "" } = receiver.received[0] ?? {}
    expect(() => new Webhook(before).verify(sent, headers)).toThrow()
    expect(new Webhook(body.secret).verify(sent, headers)).toMatchObject({ type: "webhook.test" })
  })

  it("reports how the receiver responds to a test", async () => {
    await set()
    expect((await test()).body).toEqual({
      ...{ ok: true, status: 200, error: null, duration_ms: expect.any(Number) },
    })
    receiver.respondWith(302)
    expect((await test()).body).toMatchObject({ ok: false, status: 302, error: "status 302" })
    // A redirect is not followed.
    expect(receiver.received).toHaveLength(2)
    await set("http://127.0.0.1:9/")
    expect((await test()).body).toMatchObject({
      ...{ ok: false, status: null, error: expect.stringContaining("ECONNREFUSED") },
    })
    expect((await read()).last_delivery).toMatchObject({ type: "webhook.test", status: null })
  })

  it("is deleted with what waits for it", async () => {
    await set()
    await gateway.gateway.db.transact((tx) =>
      gateway.gateway.webhooks.send(tx, [{ type: "limit.warning", data: {} }]),
    )
    expect((await gateway.call("DELETE", path)).status).toBe(200)
    expect(await read()).toMatchObject({ url: null, waiting: 0 })
    for (const [method, missing] of [
      ["DELETE", path],
      ["POST", `${path}/secret`],
      ["POST", `${path}/test`],
    ] as const)
      expect((await gateway.call(method, missing)).status).toBe(404)
  })

  it("does not get what was stored while there was none", async () => {
    const { db } = gateway.gateway
    const event = { type: "limit.warning", body: "{}", attempts: 0, due_ms: 0, created_ms: 0 }
    await db.execute((writer) =>
      writer
        .insertInto("webhook_events")
        .values({ id: "msg_old", ...event })
        .execute(),
    )
    await expect.poll(read).toMatchObject({ waiting: 0 })
    await set()
    await test()
    expect(receiver.received).toHaveLength(1)
  })

  it("may have an @ in its query", async () => {
    const { origin } = new URL(receiver.url)
    expect((await set(`${origin}?to=a@b`)).status).toBe(200)
    expect((await test()).body.ok).toBe(true)
  })

  it.each([
    ["another scheme", "ftp://example.com/"],
    ["credentials", "https://name:password@example.com/"],
    ["credentials without slashes", "https:name:password@example.com/"],
    ["a fragment", "https://example.com/#top"],
    ["no address", "hook"],
  ])("rejects %s", async (_what, url) => {
    const { status, body } = await set(url)
    expect([status, body.errors[0].path]).toEqual([422, "url"])
  })

  it("is for administrators only", async () => {
    const { key } = await gateway.createUser("Eve")
    expect((await gateway.call("GET", path, undefined, { key })).status).toBe(403)
    expect((await gateway.call("PUT", path, { url: receiver.url }, { key })).status).toBe(403)
    expect((await gateway.call("POST", `${path}/test`, undefined, { key })).status).toBe(403)
  })
})
