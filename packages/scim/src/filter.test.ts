import { afterAll, describe, expect, it } from "vitest"
import { createExampleDatabase } from "../test/example-database.ts"
import { groupType, userType } from "../test/example-types.ts"
import { createFilterCompiler } from "./filter-compiler.ts"
import { matchesFilter } from "./filter-evaluator.ts"
import { parseFilter } from "./filter-parser.ts"
import { foldCase } from "./fold-case.ts"
import { schemaUrns } from "./resource-type.ts"

const base = "https://example.com/v2"
const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&")

const metaOf = (id: string, lastModified: string) => ({
  resourceType: "User",
  created: "2010-01-23T04:56:22Z",
  lastModified,
  location: `${base}/Users/${id}`,
})

const users = [
  {
    schemas: [schemaUrns.user],
    id: "1",
    userName: "bjensen",
    name: { familyName: "O'Malley", givenName: "Barbara" },
    title: "Tour Guide",
    userType: "Employee",
    active: true,
    emails: [
      { value: "bjensen@example.com", type: "work", primary: true },
      { value: "babs@jensen.org", type: "home" },
    ],
    meta: metaOf("1", "2011-05-13T04:42:34Z"),
  },
  {
    schemas: [schemaUrns.user],
    id: "2",
    externalId: "J_2",
    userName: "John",
    nickName: "100%",
    userType: "Intern",
    active: false,
    emails: [{ value: "john@jensen.org", type: "work" }],
    ims: [{ value: "john@foo.com", type: "xmpp" }],
    meta: metaOf("2", "2011-05-13T04:42:34.500Z"),
  },
  {
    schemas: [schemaUrns.user],
    id: "3",
    externalId: "j_2",
    userName: "Jürgen",
    nickName: "1000",
    emails: [],
    meta: metaOf("3", "2009-12-01T00:00:00Z"),
  },
]

const database = createExampleDatabase(users)
const compile = createFilterCompiler({ type: userType, base, foldCase, escapeLike })
afterAll(database.close)

describe("filters select the same users in memory and in SQL", () => {
  it.each([
    // The examples of RFC 7644 §3.4.2.2.
    ['userName Eq "john"', "2"],
    ['Username eq "john"', "2"],
    ['userName eq "bjensen"', "1"],
    [`name.familyName co "O'Malley"`, "1"],
    ['userName sw "J"', "2 3"],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"', "2 3"],
    ["title pr", "1"],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"', "2"],
    ['meta.lastModified ge "2011-05-13T04:42:34Z"', "1 2"],
    ['meta.lastModified lt "2011-05-13T04:42:34Z"', "3"],
    ['meta.lastModified le "2011-05-13T04:42:34Z"', "1 3"],
    ['title pr and userType eq "Employee"', "1"],
    ['title pr or userType eq "Intern"', "1 2"],
    ['schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"', ""],
    ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', "1"],
    [
      'userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")',
      "2 3",
    ],
    ['userType eq "Employee" and (emails.type eq "work")', "1"],
    ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', "1"],
    [
      'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
      "1 2",
    ],
    // Further cases.
    ['userName ew "EN"', "1 3"],
    ['userName eq "JÜRGEN"', "3"],
    ['userName gt "c" and userName le "john"', "2"],
    ['userName ge "john" and userName lt "k"', "2 3"],
    ['nickName co "0%"', "2"],
    ['externalId eq "J_2"', "2"],
    ['externalId co "_"', "2 3"],
    ['externalId co ""', "2 3"],
    ['externalId sw "J"', "2"],
    ['externalId ew "_2"', "2 3"],
    ["externalId eq null", "1"],
    ["externalId ne null", "2 3"],
    ["active eq true", "1"],
    ['active ne "True"', "2 3"],
    ['emails[type eq "work"].value ew "jensen.org"', "2"],
    ["emails pr and not (ims pr)", "1"],
    ["name pr", "1"],
    ['name[givenName sw "b"]', "1"],
    ["locale pr", ""],
    ['locale ne "de"', "1 2 3"],
    ['meta.created ne "2010-01-23T05:56:22.0001+01:00"', "1 2 3"],
    ['meta.created eq "2010-01-23T05:56:22+01:00"', "1 2 3"],
    ['meta.resourceType eq "User" and meta.resourceType pr', "1 2 3"],
    ['meta.location ew "Users/2"', "2"],
  ])("%s", (text, expected) => {
    const filter = parseFilter(userType, text)
    const matching = users.filter((user) => matchesFilter(filter, user)).map(({ id }) => id)
    expect(matching.join(" ")).toBe(expected)
    expect(database.select(compile(filter)).join(" ")).toBe(expected)
  })
})

describe("parseFilter", () => {
  it.each([
    ["", "Expected an attribute"],
    ["userName", "is not an operator"],
    ["userName is 1", "is not an operator"],
    ["userName eq john", "in double quotes"],
    ["userName eq 5", "in double quotes"],
    ["userName gt null", "a value, not null"],
    ['shoe eq "x"', "is not an attribute"],
    ['emails[shoe eq "x"]', "is not an attribute"],
    ['userName[value eq "x"]', "has no sub-attributes"],
    ['name eq "x"', "is a complex attribute"],
    ['active co "t"', "does not apply"],
    ['active eq "maybe"', "true or false"],
    ['meta.created gt "yesterday"', "a time such as"],
    ['userName eq "a" userName', "after the end"],
    ['userName eq "\\x"', "not a valid JSON string"],
    ['userName eq "\\u0000"', "must not contain U+0000"],
    ['userName eq "\\ud800"', "must not contain U+0000"],
    ["userName eq é", "Unexpected character at position 13"],
    ["(userName pr", "Expected )"],
    ['emails[type eq "a"', "Expected ]"],
    [`userName eq "${"x".repeat(2048)}"`, "too long"],
    [Array.from({ length: 51 }, () => "id pr").join(" or "), "too many terms"],
    [`${"(".repeat(21)}id pr${")".repeat(21)}`, "nested too deeply"],
  ])("rejects %s", (text, message) => {
    expect(() => parseFilter(userType, text)).toThrow(
      expect.objectContaining({
        name: "ScimError",
        status: 400,
        scimType: "invalidFilter",
        message: expect.stringContaining(message),
      }),
    )
  })

  it("knows attributes of other types that are searched too; they have no value", () => {
    expect(() => parseFilter(userType, "members pr")).toThrow("is not an attribute")
    const filter = parseFilter(userType, 'members.value eq "1" or not (members pr)', [groupType])
    expect(database.select(compile(filter))).toEqual(["1", "2", "3"])
  })
})
