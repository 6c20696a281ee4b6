import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminEmail } from "../harness/gateway.ts"
import { providerEnv } from "./provider-env.ts"
import {
  completeSignOn,
  problemInUrl,
  type SignOnSetup,
  startSignOnGateway,
  startSignOnSetup,
} from "./sign-on-setup.ts"

describe.each(chooseDatabases())("the account of a sign-on on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let setup: SignOnSetup

  beforeAll(async () => {
    database = await createDatabase()
    setup = await startSignOnSetup(database)
  })
  afterAll(async () => {
    await setup.close()
    await database.remove()
  })
  beforeEach(() => setup.resetIssuer())

  it("is created with the role user, and found by issuer and subject afterwards", async () => {
    const { gateway, issuer, fetchAccount, newPerson } = setup
    const person = newPerson({ given_name: "Grace", family_name: "Hopper", name: "Grace Hopper" })
    const first = await completeSignOn(gateway, { back: "/models?query=x#top" })
    expect(first.location).toBe("/models?query=x#top")
    const account = await fetchAccount(first.token)
    expect(account).toMatchObject({ email: person.email, name: "Grace Hopper", role: "user" })
    const { body } = await gateway.call("GET", `/api/v1/users/${account.id}`)
    expect(body).toMatchObject({ source: "oidc", given_name: "Grace", family_name: "Hopper" })

    // The address may change and even be unverified now: the subject identifies the account.
    issuer.user = { ...issuer.user, email: "elsewhere@example.com", email_verified: false }
    expect(await fetchAccount((await completeSignOn(gateway)).token)).toMatchObject({
      id: account.id,
    })
  })

  it("takes claims missing from the ID token from the userinfo endpoint", async () => {
    const { issuer, newPerson } = setup
    const { sub, email } = newPerson()
    issuer.user = { sub }
    issuer.userinfo = { email, email_verified: true, name: "From Userinfo" }
    const fresh = await startSignOnGateway({ ...providerEnv(issuer) })
    try {
      const { token } = await completeSignOn(fresh)
      const options = { key: token ?? "none" }
      const { body } = await fresh.call("GET", "/api/v1/auths/", undefined, options)
      expect(body).toMatchObject({ email, name: "From Userinfo" })
    } finally {
      await fresh.stop()
    }
  })

  it("is the SCIM account whose externalId equals the link claim", async () => {
    const { gateway, issuer, fetchAccount, newPerson, callScim } = setup
    const { body: made } = await callScim("POST", "/Users", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: "linked@example.com",
      externalId: "object-1",
      name: { givenName: "Linked", familyName: "Person" },
    })
    newPerson({ oid: "object-1", email: "another@example.com", email_verified: false })
    expect(await fetchAccount((await completeSignOn(gateway)).token)).toMatchObject({
      id: made.id,
      role: "user",
    })
    const { body } = await gateway.call("GET", `/api/v1/sso/users/${made.id}/identities`)
    expect(body.items).toMatchObject([{ provider: "okta", subject: issuer.user.sub }])
    expect(body.has_password).toBe(false)
  })

  it("is the one with the same verified e-mail address, whatever its case", async () => {
    const { gateway, fetchAccount, newPerson } = setup
    const user = await gateway.createUser("Katherine")
    newPerson({ email: "KATHERINE@example.com" })
    expect(await fetchAccount((await completeSignOn(gateway)).token)).toMatchObject({ id: user.id })
  })

  it("is never an administrator's found by e-mail address", async () => {
    const { gateway, newPerson } = setup
    newPerson({ email: adminEmail })
    const { location, token } = await completeSignOn(gateway)
    expect([problemInUrl(location), token]).toEqual(["link_needed", undefined])
  })

  it("is never an administrator's found by the link claim, unless linked before", async () => {
    const { gateway, fetchAccount, newPerson, callScim } = setup
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"]
    const provision = async (name: string): Promise<string> => {
      const user = { schemas, userName: `${name}@example.com`, externalId: name }
      return (await callScim("POST", "/Users", user)).body.id
    }
    const promote = (id: string) =>
      gateway.call("POST", `/api/v1/users/${id}/update`, { role: "admin" })

    const unlinked = await provision("promoted-1")
    await promote(unlinked)
    newPerson({ oid: "promoted-1" })
    const { location, token } = await completeSignOn(gateway)
    expect([problemInUrl(location), token]).toEqual(["link_needed", undefined])
    const { body } = await gateway.call("GET", `/api/v1/sso/users/${unlinked}/identities`)
    expect(body.items).toEqual([])

    const linked = await provision("promoted-2")
    const person = newPerson({ oid: "promoted-2" })
    await completeSignOn(gateway)
    await promote(linked)
    expect(await fetchAccount((await completeSignOn(gateway)).token)).toMatchObject({
      id: linked,
      role: "admin",
    })
    setup.issuer.user = { ...person, sub: "another-subject" }
    expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("link_needed")
  })

  it("is never one linked to another person of the same provider", async () => {
    const { gateway, newPerson } = setup
    const { email } = newPerson()
    await completeSignOn(gateway)
    newPerson({ email })
    expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("link_needed")
  })

  it("is never one found by e-mail address that SCIM knows by another externalId", async () => {
    const { gateway, newPerson, callScim } = setup
    const userName = "reused@example.com"
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"]
    await callScim("POST", "/Users", { schemas, userName, externalId: "object-2" })
    newPerson({ oid: "object-3", email: userName })
    expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("link_needed")
  })

  it("is never one with a password found by e-mail address while sign-up is open", async () => {
    const { gateway, newPerson } = setup
    await gateway.createUser("Squatter")
    await gateway.call("POST", "/api/v1/settings", { enable_signup: true })
    newPerson({ email: "squatter@example.com" })
    expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("link_needed")
    await gateway.call("POST", "/api/v1/settings", { enable_signup: false })
    expect(problemInUrl((await completeSignOn(gateway)).location)).toBeUndefined()
  })

  it.each([
    ["unverified", { email_verified: false }, "email_unverified"],
    ["not declared verified or unverified", { email_verified: undefined }, "email_unverified"],
    ["missing", { email: undefined }, "email_missing"],
    ["malformed", { email: "not an address" }, "email_missing"],
  ])(
    "is neither found nor created with an e-mail address that is %s",
    async (_how, claims, problem) => {
      const { countAccounts, gateway, issuer, newPerson } = setup
      newPerson()
      issuer.user = { ...issuer.user, ...claims }
      const before = await countAccounts()
      const { location, token } = await completeSignOn(gateway)
      expect([problemInUrl(location), token]).toEqual([problem, undefined])
      expect(await countAccounts()).toBe(before)
    },
  )

  it("is rejected and stays inactive if deactivated, however it is found", async () => {
    const { gateway, issuer, fetchAccount, newPerson, callScim } = setup
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"]
    for (const [index, deactivate] of [
      (id: string) => callScim("DELETE", `/Users/${id}`),
      (id: string) => gateway.call("POST", `/api/v1/users/${id}/update`, { active: false }),
    ].entries()) {
      const userName = `leaver-${index}@example.com`
      const externalId = `leaver-${index}`
      const { body } = await callScim("POST", "/Users", { schemas, userName, externalId })
      const known = newPerson({ oid: externalId, email: userName })
      const { token } = await completeSignOn(gateway)
      expect(await fetchAccount(token)).toMatchObject({ id: body.id })
      await deactivate(body.id)
      expect(await fetchAccount(token)).toMatchObject({ code: "unauthorized" })
      expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("deactivated")
      // By the link claim, and by the e-mail address only.
      issuer.user = { ...known, sub: `other-${index}` }
      expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("deactivated")
      issuer.user = { ...known, sub: `third-${index}`, oid: undefined }
      expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("deactivated")
      const { body: after } = await gateway.call("GET", `/api/v1/users/${body.id}`)
      expect(after.active).toBe(false)
    }
  })

  it("joins and leaves groups by the claim, except those managed otherwise", async () => {
    const { gateway, issuer, fetchAccount, newPerson, callScim } = setup
    const createGroup = async (name: string): Promise<string> =>
      (await gateway.call("POST", "/api/v1/groups/create", { name })).body.id
    const [pilots, readers, byHand] = [
      await createGroup("Pilots"),
      await createGroup("Readers"),
      await createGroup("By hand"),
    ]
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"]
    const provisioned = (
      await callScim("POST", "/Groups", { schemas, displayName: "Kept by SCIM" })
    ).body.id
    newPerson({ groups: ["pilots", "Readers", "Kept by SCIM", "Unknown"] })
    const { id } = await fetchAccount((await completeSignOn(gateway)).token)
    const isIn = async (groupId: string): Promise<boolean> => {
      const { items } = (await gateway.call("GET", `/api/v1/groups/${groupId}/members`)).body
      return items.some((member: { id: string }) => member.id === id)
    }
    const all = async () => Promise.all([pilots, readers, byHand, provisioned].map(isIn))
    expect(await all()).toEqual([true, true, false, false])

    await gateway.call("POST", `/api/v1/groups/${byHand}/members/add`, { user_ids: [id] })
    issuer.user = { ...issuer.user, groups: ["Readers", "By hand"] }
    await completeSignOn(gateway)
    expect(await all()).toEqual([false, true, true, false])
    issuer.user = { ...issuer.user, groups: undefined, _claim_names: { groups: "src1" } }
    await completeSignOn(gateway)
    expect(await all()).toEqual([false, true, true, false])
    issuer.user = { ...issuer.user, _claim_names: undefined }
    await completeSignOn(gateway)
    expect(await all()).toEqual([false, false, true, false])
  })

  it("is traceable in the audit log, which contains no tokens", async () => {
    const { readAuditEvents, gateway, issuer, fetchAccount, newPerson } = setup
    const { sub, email } = newPerson()
    const { token } = await completeSignOn(gateway)
    const { id } = await fetchAccount(token)
    issuer.user = { sub: "a stranger", email: "stranger@example.com", email_verified: false }
    await completeSignOn(gateway)
    const all = await readAuditEvents()
    const eventsOfPerson = all.filter(
      ({ target_id, actor_id }) => target_id === id || actor_id === id,
    )
    expect(eventsOfPerson.map(({ action }) => action)).toEqual([
      "user.created",
      "identity.linked",
      "session.created",
    ])
    expect(JSON.parse(eventsOfPerson[1]?.after ?? "")).toEqual({ provider: "okta", subject: sub })
    const refused = all.find(({ after }) => after?.includes("email_unverified"))
    expect(refused).toMatchObject({
      action: "sign_on.refused",
      outcome: "failure",
      status: 403,
      target_id: "okta",
    })
    expect(JSON.parse(refused?.after ?? "")).toEqual({
      provider: "okta",
      reason: "email_unverified",
    })
    const rows = JSON.stringify(all)
    expect(rows).not.toContain(email)
    for (const text of [rows, JSON.stringify(gateway.logLines)]) {
      expect(text).not.toMatch(/eyJhbGci|a-secret-of-the-client|code=/)
    }
    const stored = await gateway.gateway.db.read
      .selectFrom("sign_on_sessions")
      .selectAll()
      .execute()
    expect(JSON.stringify(stored)).not.toContain("eyJhbGci")
  })
})
