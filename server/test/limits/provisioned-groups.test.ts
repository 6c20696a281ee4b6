import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { completeSignOn, type SignOnSetup, startSignOnSetup } from "../sso/sign-on-setup.ts"

const model = "gpt-fake"
const messages = [{ role: "user", content: "one two three" }]
const groupSchemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"]
const patchSchemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]

describe.each(chooseDatabases())("limits of provisioned groups on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let setup: SignOnSetup

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI()
    setup = await startSignOnSetup(database, { OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(setup.gateway, [model])
    await setup.gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
  })
  beforeEach(() => setup.resetIssuer())
  afterAll(async () => {
    await setup.close()
    await upstream.close()
    await database.remove()
  })

  const reject = async (groupId: string): Promise<void> => {
    const target = { type: "group", id: groupId }
    const limit = { target, metric: "requests", amount: 0, window: "day" }
    expect((await setup.gateway.call("POST", "/api/v1/limits", limit)).status).toBe(200)
  }
  /** @param key a key or a session's token */
  const ask = async (key: string | undefined): Promise<number> => {
    const body = { model, messages }
    const options = { key: key ?? "none" }
    return (await setup.gateway.call("POST", "/api/chat/completions", body, options)).status
  }

  it("apply from the next request on after SCIM has changed the members", async () => {
    const { gateway, callScim } = setup
    const user = await gateway.createUser("Eve")
    const group = { schemas: groupSchemas, displayName: "By SCIM" }
    const { id } = (await callScim("POST", "/Groups", group)).body
    await reject(id)
    expect(await ask(user.key)).toBe(200)
    const members = { op: "add", path: "members", value: [{ value: user.id }] }
    const changed = await callScim("PATCH", `/Groups/${id}`, {
      ...{ schemas: patchSchemas, Operations: [members] },
    })
    expect(changed.status).toBeLessThan(300)
    expect(await ask(user.key)).toBe(429)
    await callScim("PATCH", `/Groups/${id}`, {
      schemas: patchSchemas,
      Operations: [{ op: "remove", path: `members[value eq "${user.id}"]` }],
    })
    expect(await ask(user.key)).toBe(200)
  })

  it("apply to sessions from the next request on after a sign-on has changed the groups", async () => {
    const { gateway, issuer, newPerson } = setup
    const { id } = (await gateway.call("POST", "/api/v1/groups/create", { name: "Pilots" })).body
    await reject(id)
    newPerson({ groups: [] })
    const first = await completeSignOn(gateway)
    expect(await ask(first.token)).toBe(200)
    issuer.user = { ...issuer.user, groups: ["Pilots"] }
    await completeSignOn(gateway)
    expect(await ask(first.token)).toBe(429)
    issuer.user = { ...issuer.user, groups: [] }
    await completeSignOn(gateway)
    expect(await ask(first.token)).toBe(200)
  })
})
