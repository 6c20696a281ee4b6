import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeIssuer, startFakeIssuer } from "../fakes/issuer.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, hasPostgres, type Place, postgresDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { type Running, startStream } from "../harness/streams.ts"
import { promptMs } from "../harness/timing.ts"
import { providerEnv } from "../sso/provider-env.ts"
import { createBrowser, problemAt, signOn, startSignOnGateway } from "../sso/sign-on.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const scimToken = "the-identity-providers-own-token"
const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"]
const patchSchemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]

const scimOf = (gateway: TestGateway) => (method: string, path: string, body?: unknown) =>
  gateway.call(method, `/api/v1/scim/v2${path}`, body, { key: scimToken })

/** The requests with which an identity provider revokes a user's access. */
const endings = [
  { how: "DELETE", method: "DELETE", body: undefined },
  {
    how: "PATCH",
    method: "PATCH",
    body: {
      schemas: patchSchemas,
      Operations: [{ op: "Replace", path: "active", value: "False" }],
    },
  },
]

let upstream: FakeOpenAI
let issuer: FakeIssuer
beforeAll(async () => {
  upstream = await startFakeOpenAI()
  issuer = await startFakeIssuer()
})
afterAll(() => Promise.all([upstream.close(), issuer.close()]))

const env = () => ({
  OPENAI_API_BASE_URLS: upstream.url,
  SCIM_ENABLED: "true",
  SCIM_TOKEN: scimToken,
  ...providerEnv(issuer, { LINK_CLAIM: "oid" }),
})

let people = 0

/** A user created by SCIM who has signed on twice and created three keys. */
const newPerson = async (gateway: TestGateway) => {
  const externalId = `object-${people++}`
  const userName = `${externalId}@example.com`
  const { body } = await scimOf(gateway)("POST", "/Users", { schemas, userName, externalId })
  issuer.person = { sub: `subject-of-${externalId}`, oid: externalId }
  const { token = "" } = await signOn(gateway)
  const page = await signOn(gateway)
  const keys: string[] = []
  for (const name of ["one", "two", "three"]) {
    const made = await gateway.call("POST", "/api/v1/auths/api_keys", { name }, { key: token })
    keys.push(made.body.api_key)
  }
  return { id: body.id as string, bearers: [token, ...keys], browser: page.browser }
}

type Person = Awaited<ReturnType<typeof newPerson>>

/** The response status for each credential: JWT, three keys, session cookie. */
const statuses = async (gateway: TestGateway, { bearers, browser }: Person) => {
  const path = "/api/models"
  const byBearer = bearers.map(
    async (key) => (await gateway.call("GET", path, undefined, { key })).status,
  )
  return [...(await Promise.all(byBearer)), (await browser.visit(gateway.url + path)).status]
}

const all = (status: number): number[] => Array.from({ length: 5 }, () => status)

/** A streamed completion for each bearer credential. */
const streamsOf = (gateway: TestGateway, { bearers }: Person): Promise<Running[]> =>
  Promise.all(bearers.map((key) => startStream(gateway, { key })))

const expectEnded = async (streams: readonly Running[], since: number) => {
  for (const { whole, endedAt } of streams) {
    expect(await whole).not.toContain("[DONE]")
    expect((await endedAt) - since).toBeLessThan(promptMs)
  }
}

describe.each(chooseDatabases())("access revoked by SCIM on $name", ({ place }) => {
  let home: Place
  let gateway: TestGateway

  beforeAll(async () => {
    home = await place()
    gateway = await startSignOnGateway({ ...home.env, ...env() })
  })
  afterAll(async () => {
    await gateway.stop()
    await home.remove()
  })

  it.each(endings)(
    "ends immediately, including running streams, by $how",
    async ({ method, body }) => {
      const person = await newPerson(gateway)
      expect(await statuses(gateway, person)).toEqual(all(200))
      const streams = await streamsOf(gateway, person)
      const path = `/Users/${person.id}`
      expect((await scimOf(gateway)(method, path, body)).status).toBeLessThan(300)
      const since = performance.now()
      expect(await statuses(gateway, person)).toEqual(all(401))
      await expectEnded(streams, since)
      expect(problemAt((await signOn(gateway)).location)).toBe("deactivated")
    },
  )
})

describe.runIf(hasPostgres)("access revoked by SCIM at one of two gateways", () => {
  let home: Place
  let here: TestGateway
  let there: TestGateway

  beforeAll(async () => {
    const postgres = postgresDatabase
    if (!postgres) throw new Error("PostgreSQL is not available")
    home = await postgres.place()
    here = await startSignOnGateway({ ...home.env, ...env() })
    there = await startGateway({
      ...home.env,
      ...env(),
      PUBLIC_URL: here.gateway.config.PUBLIC_URL ?? "",
    })
  })
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()])
    await home.remove()
  })

  it.each(endings)("also ends at the other, by $how", async ({ method, body }) => {
    const person = await newPerson(here)
    expect(await statuses(there, person)).toEqual(all(200))
    const [near, far] = [await streamsOf(here, person), await streamsOf(there, person)]
    const path = `/Users/${person.id}`
    expect((await scimOf(here)(method, path, body)).status).toBeLessThan(300)
    const since = performance.now()
    expect(await statuses(here, person)).toEqual(all(401))
    await expectEnded(near, since)
    await expectEnded(far, since)
    await vi.waitFor(async () => expect(await statuses(there, person)).toEqual(all(401)), {
      timeout: promptMs,
      interval: 20,
    })
  })

  it("can be regained by a sign-in that starts at one and completes once at the other", async () => {
    const person = await newPerson(here)
    const browser = createBrowser()
    const callback = new URL(await browser.toCallback(here))
    const elsewhere = `${there.url}${callback.pathname}${callback.search}`
    const copy = createBrowser()
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    expect(browser.locationOf(await browser.visit(elsewhere))).toBe("/")
    expect(await statuses(here, { ...person, browser })).toEqual(all(200))
    expect(problemAt(copy.locationOf(await copy.visit(callback.href)))).toBe("expired")
  })
})
