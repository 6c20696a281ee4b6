import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { type FakeIssuer, startFakeIssuer } from "../fakes/oidc-issuer.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { providerEnv } from "./provider-env.ts"
import { completeSignOn, problemInUrl, startSignOnGateway } from "./sign-on-setup.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let issuer: FakeIssuer
beforeAll(async () => {
  issuer = await startFakeIssuer()
})
afterAll(() => issuer.close())

const Account = z.object({ id: z.string(), email: z.string() })
const accountOf = async (gateway: TestGateway, token: string | undefined) => {
  const headers = { authorization: `Bearer ${token}` }
  return Account.parse(await (await fetch(`${gateway.url}/api/v1/auths/`, { headers })).json())
}

describe("the claim with the email address", () => {
  let gateway: TestGateway
  afterEach(() => gateway.stop())

  const signIn = async (settings: Record<string, string>, claims: Record<string, unknown>) => {
    gateway = await startSignOnGateway(providerEnv(issuer, settings))
    issuer.user = { sub: "jane", name: "Jane", ...claims }
    const { location, token } = await completeSignOn(gateway)
    return problemInUrl(location) ?? (await accountOf(gateway, token)).email
  }
  const jane = "jane@contoso.com"

  it.each([
    ["preferred_username", { preferred_username: jane }],
    ["upn", { upn: jane, email: "other@contoso.com", email_verified: true }],
    ["user.mail", { user: { mail: jane } }],
    ["https://contoso.com/mail", { "https://contoso.com/mail": jane }],
    ["emails", { emails: [jane] }],
    ["emails", { emails: ["CONTOSO\\jane", jane] }],
    ["emails", { emails: [{ value: "j@contoso.com" }, { value: jane, primary: true }] }],
    ["emails.value", { emails: [{ value: jane }] }],
    ["user.mail", { "user.mail": null, user: { mail: ` ${jane}` } }],
    ["https://contoso.com/claims.mail", { "https://contoso.com/claims": { mail: jane } }],
    ["email", { email: [jane] }],
    ["upn", { upn: "CONTOSO\\jane", email: jane }],
    ["upn", { email: jane }],
  ])("can be %s: %o", async (EMAIL_CLAIM, claims) => {
    expect(await signIn({ EMAIL_CLAIM, TRUST_EMAIL: "true" }, claims)).toBe(jane)
  })

  it.each([[true], ["true"], ["True"]])("counts as verified: %o", async (email_verified) => {
    expect(await signIn({}, { email: jane, email_verified })).toBe(jane)
  })

  it.each([[false], ["false"], [1], ["yes"], [null], [[true]], [["true"]]])(
    "does not count as verified: %o",
    async (email_verified) => {
      expect(await signIn({}, { email: jane, email_verified })).toBe("email_unverified")
    },
  )

  it("counts as verified only with TRUST_EMAIL", async () => {
    const claims = { upn: jane, email_verified: true }
    expect(await signIn({ EMAIL_CLAIM: "upn" }, claims)).toBe("email_unverified")
  })

  it.each([["CONTOSO\\jane"], ["jane"], [7], [{}]])("must be an address: %o", async (upn) => {
    const settings = { EMAIL_CLAIM: "upn", TRUST_EMAIL: "true" }
    expect(await signIn(settings, { upn })).toBe("email_missing")
  })
})

describe("the groups claim", () => {
  const groupNames = [...["dev", "ops", "Sales, EMEA", "Domain Admins", "Admins", "parent/Admins"]]
  let gateway: TestGateway
  let people = 0
  const start = async (settings: Record<string, string> = {}) => {
    const env = providerEnv(issuer, { GROUPS_CLAIM: "groups", TRUST_EMAIL: "true", ...settings })
    gateway = await startSignOnGateway(env)
    for (const name of groupNames) await gateway.call("POST", "/api/v1/groups/create", { name })
  }
  afterEach(() => gateway.stop())

  const groupsAfter = async (...answers: Record<string, unknown>[]) => {
    const sub = `person-${people++}`
    let token: string | undefined
    for (const answer of answers) {
      issuer.user = { sub, email: `${sub}@example.com`, name: "Ada", ...answer }
      token = (await completeSignOn(gateway)).token
    }
    const { id } = await accountOf(gateway, token)
    const { items } = (await gateway.call("GET", "/api/v1/groups/?page=1")).body
    const names: string[] = []
    for (const group of items) {
      const members = (await gateway.call("GET", `/api/v1/groups/${group.id}/members`)).body.items
      if (members.some((member: { id: string }) => member.id === id)) names.push(group.name)
    }
    return names.toSorted()
  }

  it("is read in the shapes that providers use", async () => {
    await start()
    for (const [groups, expected] of [
      [
        ["dev", "ops"],
        ["dev", "ops"],
      ],
      ["dev", ["dev"]],
      ["dev;ops", ["dev", "ops"]],
      ["dev, ops", ["dev", "ops"]],
      ["Sales, EMEA;dev", ["Sales, EMEA", "dev"]],
      ["Domain Admins", ["Domain Admins"]],
      [
        [{ name: "dev" }, { id: "1", displayName: "ops" }],
        ["dev", "ops"],
      ],
      [{ dev: { "1": "example.com" }, ops: {} }, ["dev", "ops"]],
      ["CN=dev,OU=groups,DC=example", ["dev"]],
      [
        ["CN=dev,OU=groups", "cn=Sales\\, EMEA,OU=groups"],
        ["Sales, EMEA", "dev"],
      ],
      [
        ["EXAMPLE\\dev", "ops"],
        ["dev", "ops"],
      ],
      [
        ["/dev", "/parent/Admins"],
        ["dev", "parent/Admins"],
      ],
      ['["dev","Sales, EMEA"]', ["Sales, EMEA", "dev"]],
      ["[dev, ops]", ["dev", "ops"]],
      ["dev|ops", ["dev", "ops"]],
      ["dev\nops\n", ["dev", "ops"]],
      ["CN=dev+UID=5,OU=groups;cn=Sales\\2C EMEA", ["Sales, EMEA", "dev"]],
    ] satisfies [unknown, string[]][]) {
      expect([groups, await groupsAfter({ groups })]).toEqual([groups, expected.toSorted()])
    }
  })

  it.each([
    ["realm_access.roles", { realm_access: { roles: ["dev", "ops"] } }],
    ["https://example.com/groups", { "https://example.com/groups": ["dev", "ops"] }],
    ["a.b", { "a.b": ["dev", "ops"], a: { b: ["Admins"] } }],
    ["clients.my.app.roles", { clients: { "my.app": { roles: ["dev", "ops"] } } }],
    ["https://example.com/c.roles", { "https://example.com/c": { roles: ["dev", "ops"] } }],
    ["groups.name", { groups: [{ name: "dev", id: 1 }, { name: "ops" }] }],
    ["teams.roles", { teams: [{ roles: ["dev"] }, {}, { roles: ["ops"] }] }],
  ])("can be the claim %s", async (name, claims) => {
    await start({ GROUPS_CLAIM: name })
    expect(await groupsAfter(claims)).toEqual(["dev", "ops"])
  })

  it("is split at spaces if the setting says so", async () => {
    await start({ GROUPS_SEPARATOR: "space" })
    expect(await groupsAfter({ groups: "dev ops" })).toEqual(["dev", "ops"])
  })

  it("changes nothing if it cannot be read, which is logged once without its content", async () => {
    await start()
    for (const unreadable of [
      7,
      true,
      { dev: "x" },
      ["dev", 7],
      [{ id: "secret-id" }],
      [["dev"]],
    ]) {
      const before = gateway.logLines.length
      const groups = await groupsAfter({ groups: ["dev", "ops"] }, { groups: unreadable })
      expect([unreadable, groups]).toEqual([unreadable, ["dev", "ops"]])
      const lines = gateway.logLines.slice(before).filter(({ shape }) => shape !== undefined)
      expect(lines).toMatchObject([{ provider: "okta", claim: "groups" }])
      expect(JSON.stringify(lines)).not.toMatch(/dev|secret-id/)
    }
  })

  it.each([
    { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://x" } } },
    { hasgroups: true },
    { hasgroups: "true" },
  ])("changes nothing if the provider omits it because there are too many: %o", async (claims) => {
    await start()
    expect(await groupsAfter({ groups: ["dev"] }, claims)).toEqual(["dev"])
  })

  it("may name hundreds of groups", async () => {
    await start()
    const groups = Array.from({ length: 500 }, (_, at) => `group ${at}`)
    expect(await groupsAfter({ groups: [...groups, "DEV", "dev"] })).toEqual(["dev"])
  })

  it("means no groups if it is missing or empty", async () => {
    await start()
    for (const none of [undefined, null, [], ""]) {
      expect(await groupsAfter({ groups: ["dev"] }, { groups: none })).toEqual([])
    }
  })
})
