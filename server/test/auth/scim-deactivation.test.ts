import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeIssuer, startFakeIssuer } from "../fakes/oidc-issuer.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import {
  chooseDatabases,
  hasPostgres,
  postgresDatabase,
  type TestDatabase,
} from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { type StreamedCompletion, startStreamedCompletion } from "../harness/streamed-completion.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { providerEnv } from "../sso/provider-env.ts"
import {
  completeSignOn,
  createBrowser,
  problemInUrl,
  startSignOnGateway,
} from "../sso/sign-on-setup.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const scimToken = "the-identity-providers-own-token"
const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"]
const patchSchemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]

const createScimCall = (gateway: TestGateway) => (method: string, path: string, body?: unknown) =>
  gateway.call(method, `/api/v1/scim/v2${path}`, body, { key: scimToken })

/** The requests with which an identity provider revokes a user's access. */
const revocations = [
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

let personCount = 0

/** A user created by SCIM who has signed on twice and created three keys. */
const createPerson = async (gateway: TestGateway) => {
  const externalId = `object-${personCount++}`
  const userName = `${externalId}@example.com`
  const { body } = await createScimCall(gateway)("POST", "/Users", {
    schemas,
    userName,
    externalId,
  })
  issuer.user = { sub: `subject-of-${externalId}`, oid: externalId }
  const { token = "" } = await completeSignOn(gateway)
  const page = await completeSignOn(gateway)
  const keys: string[] = []
  for (const name of ["one", "two", "three"]) {
    const created = await gateway.call("POST", "/api/v1/auths/api_keys", { name }, { key: token })
    keys.push(created.body.api_key)
  }
  return { id: body.id as string, bearers: [token, ...keys], browser: page.browser }
}

type Person = Awaited<ReturnType<typeof createPerson>>

/** The response status for each credential: JWT, three keys, session cookie. */
const statuses = async (gateway: TestGateway, { bearers, browser }: Person) => {
  const path = "/api/models"
  const byBearer = bearers.map(
    async (key) => (await gateway.call("GET", path, undefined, { key })).status,
  )
  return [...(await Promise.all(byBearer)), (await browser.visit(gateway.url + path)).status]
}

const repeatStatus = (status: number): number[] => Array.from({ length: 5 }, () => status)

/** A streamed completion for each bearer credential. */
const startStreams = (gateway: TestGateway, { bearers }: Person): Promise<StreamedCompletion[]> =>
  Promise.all(bearers.map((key) => startStreamedCompletion(gateway, { key })))

const expectEnded = async (streams: readonly StreamedCompletion[], since: number) => {
  for (const { body, endedAt } of streams) {
    expect(await body).not.toContain("[DONE]")
    expect((await endedAt) - since).toBeLessThan(maxDelayMs)
  }
}

describe.each(chooseDatabases())("access revoked by SCIM on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startSignOnGateway({ ...database.env, ...env() })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  it.each(revocations)(
    "ends immediately, including running streams, by $how",
    async ({ method, body }) => {
      const person = await createPerson(gateway)
      expect(await statuses(gateway, person)).toEqual(repeatStatus(200))
      const streams = await startStreams(gateway, person)
      const path = `/Users/${person.id}`
      expect((await createScimCall(gateway)(method, path, body)).status).toBeLessThan(300)
      const since = performance.now()
      expect(await statuses(gateway, person)).toEqual(repeatStatus(401))
      await expectEnded(streams, since)
      expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("deactivated")
    },
  )
})

describe.runIf(hasPostgres)("access revoked by SCIM at one of two gateways", () => {
  let database: TestDatabase
  let first: TestGateway
  let second: TestGateway

  beforeAll(async () => {
    const postgres = postgresDatabase
    if (!postgres) throw new Error("PostgreSQL is not available")
    database = await postgres.createDatabase()
    first = await startSignOnGateway({ ...database.env, ...env() })
    second = await startGateway({
      ...database.env,
      ...env(),
      PUBLIC_URL: first.gateway.config.PUBLIC_URL ?? "",
    })
  })
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()])
    await database.remove()
  })

  it.each(revocations)("also ends at the other, by $how", async ({ method, body }) => {
    const person = await createPerson(first)
    expect(await statuses(second, person)).toEqual(repeatStatus(200))
    const [firstStreams, secondStreams] = [
      await startStreams(first, person),
      await startStreams(second, person),
    ]
    const path = `/Users/${person.id}`
    expect((await createScimCall(first)(method, path, body)).status).toBeLessThan(300)
    const since = performance.now()
    expect(await statuses(first, person)).toEqual(repeatStatus(401))
    await expectEnded(firstStreams, since)
    await expectEnded(secondStreams, since)
    await vi.waitFor(
      async () => expect(await statuses(second, person)).toEqual(repeatStatus(401)),
      {
        timeout: maxDelayMs,
        interval: 20,
      },
    )
  })

  it("can be regained by a sign-in that starts at one and completes once at the other", async () => {
    const person = await createPerson(first)
    const browser = createBrowser()
    const callback = new URL(await browser.visitUntilCallback(first))
    const elsewhere = `${second.url}${callback.pathname}${callback.search}`
    const copy = createBrowser()
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    expect(browser.locationOf(await browser.visit(elsewhere))).toBe("/")
    expect(await statuses(first, { ...person, browser })).toEqual(repeatStatus(200))
    expect(problemInUrl(copy.locationOf(await copy.visit(callback.href)))).toBe("expired")
  })
})
