import { beforeAll, describe, expect, it } from "vitest"
import {
  describeScim,
  enterpriseUserSchema,
  groupSchema,
  listResponseSchema,
  scimBase,
  userSchema,
} from "./scim-client.ts"

/** Names of the users found, in the order of the reply. */
const userNamesIn = (body: { Resources: { userName: string }[] }): string[] =>
  body.Resources.map(({ userName }) => userName.split("@")[0] ?? "")

describeScim("Queries", (client) => {
  const idByName = new Map<string, string>()

  beforeAll(async () => {
    const createUser = async (name: string, more: Record<string, unknown>) => {
      const plain = { name: undefined, emails: [], ...more }
      idByName.set(name, (await client().createUser(name, plain)).id)
    }
    await createUser("anna", {
      name: { givenName: "Anna", familyName: "Ärmel" },
      externalId: "X-1",
      displayName: "100%_sure\\",
      emails: [
        { value: "anna@work.example", type: "work", primary: true },
        { value: "anna@home.example", type: "home" },
      ],
    })
    await createUser("bert", {
      name: { givenName: "bert" },
      externalId: "x-1",
      nickName: 'q"uote',
      active: false,
      emails: [{ value: "bert@home.example", type: "work" }],
    })
    await createUser("carl", { displayName: "Carl" })
    await client().createGroup("Team A", [idByName.get("anna") ?? "", idByName.get("bert") ?? ""])
    await client().createGroup("Team B", [])
  })

  /** Excludes the administrator, who exists in every database. */
  const find = async (filter: string): Promise<string[]> => {
    const { status, body } = await client().find("Users", `(${filter}) and not (userName sw "ada")`)
    expect([status, body.detail]).toEqual([200, undefined])
    expect(body.totalResults).toBe(body.Resources.length)
    return userNamesIn(body)
  }

  it.each<[string, string[]]>([
    ['userName eq "ANNA@example.org"', ["anna"]],
    ['userName ne "anna@example.org"', ["bert", "carl"]],
    ['userName co "NN"', ["anna"]],
    ['userName sw "B"', ["bert"]],
    ['userName ew "L@EXAMPLE.ORG"', ["carl"]],
    ["displayName pr", ["anna", "carl"]],
    ['userName gt "bert@example.org"', ["carl"]],
    ['userName ge "bert@example.org"', ["bert", "carl"]],
    ['userName lt "bert@example.org"', ["anna"]],
    ['userName le "bert@example.org"', ["anna", "bert"]],
    // Only ids and externalIds are case-sensitive.
    ['externalId eq "X-1"', ["anna"]],
    ['externalId co "x-"', ["bert"]],
    ['externalId sw "X"', ["anna"]],
    ['externalId ew "-1"', ["anna", "bert"]],
    ['externalId ew "longer-than-x-1"', []],
    ['name.familyName eq "ÄRMEL"', ["anna"]],
    ['name.givenName sw "BE"', ["bert"]],
    // Wildcards and escapes of LIKE are ordinary characters here.
    ['displayName co "%"', ["anna"]],
    ['displayName co "_"', ["anna"]],
    ['displayName ew "\\\\"', ["anna"]],
    ['displayName co "0%_s"', ["anna"]],
    ['nickName eq "Q\\"UOTE"', ["bert"]],
    ['displayName eq "\\u0043arl"', ["carl"]],
    // Two-valued logic: a missing value is not equal to anything.
    ['displayName ne "Carl"', ["anna", "bert"]],
    ['not (displayName eq "Carl")', ["anna", "bert"]],
    ["not (displayName pr)", ["bert"]],
    ["displayName eq null", ["bert"]],
    ["displayName ne null", ["anna", "carl"]],
    ['not (displayName gt "a")', ["anna", "bert"]],
    ["name pr", ["anna", "bert"]],
    ["not (name.familyName pr)", ["bert", "carl"]],
    ["active eq true", ["anna", "carl"]],
    ['active eq "False"', ["bert"]],
    ["active ne true", ["bert"]],
    // One matching value of a list is enough; conditions in […] apply to the same value.
    ["emails pr", ["anna", "bert"]],
    ['emails eq "ANNA@home.example"', ["anna"]],
    ['emails.value ew "home.example"', ["anna", "bert"]],
    ['emails.type eq "home"', ["anna"]],
    ['emails[type eq "work" and value co "@home"]', ["bert"]],
    ['emails.type eq "work" and emails.value co "@home"', ["anna", "bert"]],
    ['emails[not (type eq "work")]', ["anna"]],
    ['not (emails[type eq "home"])', ["bert", "carl"]],
    ["emails[primary eq true]", ["anna"]],
    ['emails[type eq "work"].value eq "bert@home.example"', ["bert"]],
    ['groups.display eq "team a"', ["anna", "bert"]],
    ["not (groups pr)", ["carl"]],
    ['groups[type eq "direct"]', ["anna", "bert"]],
    // Attributes that are known but not stored have no values.
    ['title eq "x"', []],
    ["not (title pr)", ["anna", "bert", "carl"]],
    ['title ne "x"', ["anna", "bert", "carl"]],
    ['phoneNumbers[type eq "work"].value eq "1"', []],
    [`${enterpriseUserSchema}:department eq "x"`, []],
    [`${userSchema}:userName sw "anna"`, ["anna"]],
    [`${userSchema.toUpperCase()}:name.givenName eq "anna"`, ["anna"]],
    [`schemas eq "${userSchema}"`, ["anna", "bert", "carl"]],
    ['meta.resourceType eq "User"', ["anna", "bert", "carl"]],
    ['meta.resourceType eq "user"', []],
    ['meta.created gt "2020-01-01T00:00:00Z"', ["anna", "bert", "carl"]],
    [
      'meta.created gt "2020-01-01T00:00:00+02:00" and meta.created lt "2021-01-01T00:00:00.5Z"',
      [],
    ],
    ['meta.lastModified ge "2199-01-01T00:00:00Z"', []],
    [`meta.location co "${scimBase}/Users/"`, ["anna", "bert", "carl"]],
    // `and` binds tighter than `or`, `not` tighter than both; parentheses come first.
    ['userName sw "a" or userName sw "b" and displayName pr', ["anna"]],
    ['(userName sw "a" or userName sw "b") and displayName pr', ["anna"]],
    ['userName sw "b" or userName sw "c" and not (displayName pr)', ["bert"]],
    ['not (userName sw "a") and not (userName sw "b")', ["carl"]],
    ['NOT (userName SW "a") AND (userName sw "b" OR ((userName sw "c")))', ["bert", "carl"]],
    ['USERNAME Eq "carl@example.org"', ["carl"]],
  ])("find users by %s", async (filter, names) => {
    expect(await find(filter)).toEqual(names)
  })

  it("find groups by name, members and member names", async () => {
    const anna = idByName.get("anna")
    const groups = async (filter: string): Promise<string[]> => {
      const { status, body } = await client().find("Groups", filter)
      expect([status, body.detail]).toEqual([200, undefined])
      return body.Resources.map(({ displayName }: { displayName: string }) => displayName)
    }
    expect(await groups('displayName sw "TEAM"')).toEqual(["Team A", "Team B"])
    expect(await groups(`members eq "${anna}"`)).toEqual(["Team A"])
    expect(await groups(`members[value eq "${anna}" and type eq "User"]`)).toEqual(["Team A"])
    expect(await groups(`members.$ref ew "/Users/${anna}"`)).toEqual(["Team A"])
    expect(await groups('members.display eq "BERT"')).toEqual(["Team A"])
    expect(await groups("not (members pr)")).toEqual(["Team B"])
    expect(await groups(`schemas eq "${groupSchema}" and displayName ew "b"`)).toEqual(["Team B"])
  })

  it.each([
    'shoeSize eq "x"',
    'name.shoe eq "x"',
    'urn:unknown:userName eq "x"',
    "userName",
    "userName eq",
    'userName is "x"',
    'userName eq "x" and',
    'userName eq "x" userName',
    '(userName eq "x"',
    'userName eq "x")',
    'not userName eq "x"',
    "not (",
    "userName eq x",
    "userName eq 5",
    "userName eq true",
    "userName gt null",
    'userName eq "torn',
    'userName eq "bad \\x escape"',
    "active gt true",
    'active co "t"',
    'active eq "perhaps"',
    'meta.created gt "yesterday"',
    'meta.created co "2026"',
    'name eq "x"',
    'userName[value eq "x"]',
    'emails[type eq "work"',
    'emails[shoe eq "x"]',
    'emails[emails[type eq "x"]]',
    "§",
    " ",
    `userName eq "${"x".repeat(2048)}"`,
    Array(51).fill("userName pr").join(" or "),
    `${"(".repeat(21)}userName pr${")".repeat(21)}`,
  ])("reject the filter %s", async (filter) => {
    const { status, body } = await client().find("Users", filter)
    expect(body).toMatchObject({ status: "400", scimType: "invalidFilter" })
    expect(status).toBe(400)
  })

  it("accept filters up to the limits", async () => {
    for (const filter of [
      Array(50).fill("userName pr").join(" and "),
      `${"(".repeat(20)}userName pr${")".repeat(20)}`,
    ]) {
      expect((await client().find("Users", filter)).status).toBe(200)
    }
  })

  it("decode + as a space", async () => {
    const spaced = await client().call("GET", '/Users?filter=userName+eq+"anna@example.org"')
    expect(userNamesIn(spaced.body)).toEqual(["anna"])
  })

  it("are paginated as the RFC requires, with integer counts", async () => {
    const page = async (query: string) => (await client().call("GET", `/Users?${query}`)).body
    const all = await page("count=1000")
    expect(all).toMatchObject({
      schemas: [listResponseSchema],
      totalResults: 4,
      itemsPerPage: 4,
      startIndex: 1,
    })
    expect(await page("startIndex=-5&count=2")).toMatchObject({ startIndex: 1, itemsPerPage: 2 })
    expect(await page("count=0")).toMatchObject({ totalResults: 4, itemsPerPage: 0, Resources: [] })
    expect(await page("count=-1")).toMatchObject({
      totalResults: 4,
      itemsPerPage: 0,
      Resources: [],
    })
    expect(await page("startIndex=100")).toMatchObject({
      totalResults: 4,
      itemsPerPage: 0,
      Resources: [],
    })
    expect((await page("startIndex=4&count=2")).Resources).toEqual(all.Resources.slice(3))
    expect(await page("startIndex=x")).toMatchObject({ status: "400", scimType: "invalidValue" })
  })

  it.each<[string, string[]]>([
    ["sortBy=userName", ["ada", "anna", "bert", "carl"]],
    ["sortBy=userName&sortOrder=descending", ["carl", "bert", "anna", "ada"]],
    ["sortBy=name.givenName&sortOrder=ascending", ["anna", "bert", "ada", "carl"]],
    ["sortBy=name.givenName&sortOrder=DESCENDING", ["carl", "ada", "bert", "anna"]],
    ["sortBy=emails", ["ada", "anna", "bert", "carl"]],
    ["sortBy=emails.value&sortOrder=descending", ["carl", "bert", "anna", "ada"]],
    [`sortBy=${userSchema}:meta.created`, ["ada", "anna", "bert", "carl"]],
    ["sortBy=title", ["ada", "anna", "bert", "carl"]],
  ])("sort by %s", async (query, names) => {
    expect(userNamesIn((await client().call("GET", `/Users?${query}`)).body)).toEqual(names)
  })

  it("reject sorting by an unknown or complex attribute", async () => {
    for (const query of ["sortBy=shoe", "sortBy=name", "sortBy=userName&sortOrder=up"]) {
      const { body } = await client().call("GET", `/Users?${query}`)
      expect(body).toMatchObject({ status: "400", scimType: "invalidValue" })
    }
  })

  describe("replies", () => {
    const anna = (query: string) => client().call("GET", `/Users/${idByName.get("anna")}?${query}`)

    it("contain the requested attributes, and always id and schemas", async () => {
      const { body } = await anna(
        `attributes=username,name.givenName,${userSchema}:emails.value,shoe`,
      )
      expect(body).toEqual({
        schemas: [userSchema],
        id: idByName.get("anna"),
        userName: "anna@example.org",
        name: { givenName: "Anna" },
        emails: [{ value: "anna@work.example" }, { value: "anna@home.example" }],
      })
    })

    it("omit excluded attributes, except id and schemas", async () => {
      const { body } = await anna(
        "excludedAttributes=id,schemas,emails,groups,name.familyName,meta",
      )
      expect(Object.keys(body).sort()).toEqual(
        ["active", "displayName", "externalId", "id", "name", "schemas", "userName"].sort(),
      )
      expect(body.name).toEqual({ givenName: "Anna" })
    })

    it("contain members' display names only on request", async () => {
      const path = "/Groups?filter=displayName%20eq%20%22Team%20A%22&attributes="
      const [plain, userNamesIn] = [
        await client().call("GET", `${path}members`),
        await client().call("GET", `${path}members.value,members.display`),
      ]
      const keys = (body: { Resources: { members: object[] }[] }) =>
        Object.keys(body.Resources[0]?.members[0] ?? {})
      expect(keys(plain.body)).toEqual(["value", "$ref", "type"])
      expect(keys(userNamesIn.body)).toEqual(["value", "display"])
    })

    it("cannot be limited both ways", async () => {
      const { body } = await anna("attributes=userName&excludedAttributes=emails")
      expect(body).toMatchObject({ status: "400", scimType: "invalidValue" })
    })

    it("are limited in lists too", async () => {
      const { body } = await client().call("GET", "/Users?attributes=userName")
      for (const user of body.Resources) {
        expect(Object.keys(user).sort()).toEqual(["id", "schemas", "userName"])
      }
    })
  })
})
