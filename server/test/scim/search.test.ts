import { beforeAll, expect, it } from "vitest"
import { describeScim, listResponseSchema } from "./scim-client.ts"

const searchRequestSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"

describeScim("POST .search", (client) => {
  beforeAll(async () => {
    const { id } = await client().createUser("sara", { displayName: "Shared" })
    await client().createUser("sven")
    await client().createGroup("Shared", [id])
    await client().createGroup("Solo")
  })
  const search = (path: string, query: object) =>
    client().call("POST", `${path}/.search`, { schemas: [searchRequestSchema], ...query })

  it("searches users with the parameters of a list", async () => {
    const { status, body } = await search("/Users", {
      filter: 'userName sw "s"',
      sortBy: "userName",
      sortOrder: "descending",
      startIndex: 1,
      count: 1,
      attributes: ["userName"],
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ schemas: [listResponseSchema], totalResults: 2, itemsPerPage: 1 })
    expect(body.Resources[0].userName).toBe("sven@example.org")
    expect(Object.keys(body.Resources[0]).sort()).toEqual(["id", "schemas", "userName"])
  })

  it("searches groups without their members", async () => {
    const { body } = await search("/Groups", {
      filter: 'displayName eq "shared"',
      excludedAttributes: ["members"],
    })
    expect(body.Resources).toMatchObject([{ displayName: "Shared" }])
    expect(body.Resources[0]).not.toHaveProperty("members")
  })

  it("searches both at the root, where an attribute that one type lacks has no value", async () => {
    const both = await search("", { filter: 'displayName eq "shared"' })
    const metas = both.body.Resources.map((found: { meta: { resourceType: string } }) => found.meta)
    expect(metas).toMatchObject([{ resourceType: "User" }, { resourceType: "Group" }])
    const users = await search("", { filter: 'userName sw "s"' })
    expect(users.body.totalResults).toBe(2)
    const rest = await search("", { filter: "not (userName pr) and not (members pr)" })
    expect(rest.body.Resources).toMatchObject([{ displayName: "Solo" }])
    const unknown = await search("", { filter: 'shoe eq "x"' })
    expect(unknown.body).toMatchObject({ status: "400", scimType: "invalidFilter" })
  })

  it("pages across both types", async () => {
    const seen: string[] = []
    for (let startIndex = 1; startIndex <= 5; startIndex += 2) {
      const { body } = await search("", { startIndex, count: 2 })
      expect(body.totalResults).toBe(5)
      seen.push(...body.Resources.map(({ id }: { id: string }) => id))
    }
    expect(new Set(seen).size).toBe(5)
  })

  it("rejects a body that is not a SearchRequest", async () => {
    expect(await client().call("POST", "/Users/.search", [])).toMatchObject({ status: 400 })
    const wrong = await search("/Users", { filter: 5 })
    expect(wrong.body).toMatchObject({ status: "400", scimType: "invalidFilter" })
  })
})
