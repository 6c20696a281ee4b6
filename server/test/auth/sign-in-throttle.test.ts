import { afterEach, describe, expect, it } from "vitest"
import { openDatabase } from "../../src/db/open.ts"
import type { GatewayOverrides } from "../../src/gateway-overrides.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { adminEmail, adminPassword, startGateway, type TestGateway } from "../harness/gateway.ts"

const wrongPassword = "not the password"
const runningGateways = new Set<TestGateway>()

const start = async (
  env: Record<string, string> = {},
  options: GatewayOverrides = {},
): Promise<TestGateway> => {
  const gateway = await startGateway({ TRUSTED_PROXIES: "127.0.0.0/8;10.0.0.0/8", ...env }, options)
  runningGateways.add(gateway)
  return gateway
}
afterEach(async () => {
  for (const gateway of runningGateways) await gateway.stop()
  runningGateways.clear()
})

const signIn = (
  gateway: TestGateway,
  from: string,
  [email, password] = [adminEmail, wrongPassword],
) =>
  gateway.call(
    "POST",
    "/api/v1/auths/signin",
    { email, password },
    { key: null, headers: { "x-forwarded-for": from } },
  )

const correctCredentials: [string, string] = [adminEmail, adminPassword]
const statuses = async (replies: Promise<{ status: number }>[]): Promise<number[]> =>
  (await Promise.all(replies)).map(({ status }) => status)

describe("failed sign-ins", () => {
  it("throttle one address and account, without locking out anyone else", async () => {
    const gateway = await start()
    for (let n = 0; n < 5; n++) expect((await signIn(gateway, "192.0.2.1")).status).toBe(401)
    const refused = await signIn(gateway, "192.0.2.1", correctCredentials)
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } })
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(5)
    expect((await signIn(gateway, "192.0.2.2", correctCredentials)).status).toBe(200)
    const other = await signIn(gateway, "192.0.2.1", ["other@example.com", wrongPassword])
    expect(other.status).toBe(401)
  })

  it("are counted even if many are sent concurrently", async () => {
    const gateway = await start()
    const burst = Array.from({ length: 30 }, () => signIn(gateway, "192.0.2.1"))
    const guessed = (await statuses(burst)).filter((status) => status === 401)
    expect(guessed.length).toBeGreaterThanOrEqual(5)
    expect(guessed.length).toBeLessThanOrEqual(7)
  })

  it("from one IPv6 /64 network count as one address", async () => {
    const gateway = await start()
    const tries = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::", "2001:0db8:0001:0002:a:b:c:d"]
    for (const from of [...tries, "2001:db8:1:2::2", "2001:db8:1:2::3"]) {
      expect((await signIn(gateway, from)).status).toBe(401)
    }
    expect((await signIn(gateway, "2001:db8:1:2:9::", correctCredentials)).status).toBe(429)
    expect((await signIn(gateway, "2001:db8:1:3::1", correctCredentials)).status).toBe(200)
  })
})

describe("X-Forwarded-For", () => {
  it("is trusted only from trusted proxies, and only for the part that they wrote", async () => {
    const gateway = await start()
    for (let n = 0; n < 5; n++) {
      await signIn(gateway, `203.0.113.${n}, nonsense, 192.0.2.1, 10.1.2.3`)
    }
    expect((await signIn(gateway, "198.51.100.7, 192.0.2.1", correctCredentials)).status).toBe(429)
    expect((await signIn(gateway, "192.0.2.1, 198.51.100.7", correctCredentials)).status).toBe(200)
    expect(gateway.logLines.filter(({ address }) => address === "192.0.2.1")).toHaveLength(6)
  })

  it("is ignored from any other address", async () => {
    const gateway = await start({ TRUSTED_PROXIES: "" })
    for (let n = 0; n < 5; n++) await signIn(gateway, `192.0.2.${n}`)
    expect((await signIn(gateway, "192.0.2.99", correctCredentials)).status).toBe(429)
    expect(new Set(gateway.logLines.map(({ address }) => address))).toEqual(
      new Set([undefined, "127.0.0.1"]),
    )
  })
})

describe.each(chooseDatabases())("the audit log of sign-ins on $name", ({ createDatabase }) => {
  it("records failed sign-ins, combines repetitions with a count, and contains no password", async () => {
    const database = await createDatabase()
    const gateway = await startGateway({ ...database.env, TRUSTED_PROXIES: "127.0.0.1" })
    for (let n = 0; n < 4; n++) await signIn(gateway, "192.0.2.1")
    await signIn(gateway, "192.0.2.2")
    await signIn(gateway, "192.0.2.1", ["my secret password", wrongPassword])
    for (let n = 0; n < 3; n++) {
      await gateway.call("GET", "/v1/models", undefined, { key: "sk-no-such-key" })
    }
    await gateway.stop()
    const db = await openDatabase({ DATABASE_URL: database.url, DATA_DIR: database.dataDir })
    const rows = await db.read
      .selectFrom("audit_events")
      .select(["address", "target_id", "count", "outcome", "status", "actor_type"])
      .where("action", "=", "auth.failed")
      .orderBy("id")
      .execute()
    const folded = rows.map(({ address, target_id, count }) => [address, target_id, count])
    expect(folded).toEqual(
      expect.arrayContaining([
        ["192.0.2.1", adminEmail, 1],
        ["192.0.2.1", adminEmail, 3],
        ["192.0.2.2", adminEmail, 1],
        ["192.0.2.1", "(not an e-mail address)", 1],
        ["127.0.0.1", null, 1],
        ["127.0.0.1", null, 2],
      ]),
    )
    expect(rows).toHaveLength(6)
    for (const row of rows) {
      expect(row).toMatchObject({ outcome: "failure", status: 401, actor_type: "anonymous" })
    }
    await db.close()
    await database.remove()
  })
})

describe("sixty-four concurrent sign-ins", () => {
  it("do not delay requests with an API key", async () => {
    // Computing one hash takes longer than the delay allowed.
    const passwordCost = { logCost: 15, blockSize: 8, parallel: 1 }
    const gateway = await start({}, { passwordCost })
    await gateway.call("GET", "/v1/models")
    const signedIn: number[] = []
    for (let n = 0; n < 64; n++) {
      void signIn(gateway, `192.0.2.${n}`, correctCredentials).then(
        ({ status }) => signedIn.push(status),
        () => {},
      )
    }
    let answered = 0
    while (signedIn.length < 8) {
      expect((await gateway.call("GET", "/v1/models")).status).toBe(200)
      answered++
    }
    expect(new Set(signedIn)).toEqual(new Set([200]))
    // Normally hundreds per sign-in; one or two if requests had to wait for password hashing.
    expect(answered).toBeGreaterThan(20 * signedIn.length)
  })
})
