import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Failure } from "../src/errors.ts"
import { matches } from "../src/scim/evaluate.ts"
import { parseFilter } from "../src/scim/filter.ts"
import { createFilterCompiler } from "../src/scim/filter-sql.ts"
import { everything, type Json } from "../src/scim/projection.ts"
import { userType } from "../src/scim/resource-types.ts"
import { createViews } from "../src/scim/views.ts"
import { databases, type OpenedDatabase } from "./databases.ts"
import { describeScim, patchUrn } from "./scim.ts"
import { seedOdd } from "./scim-odd-users.ts"

/** More rounds: SCIM_FUZZ_ROUNDS=100000. The same seed gives the same run. */
const rounds = Number(process.env.SCIM_FUZZ_ROUNDS ?? 400)
const base = "http://portico.example/api/v1/scim/v2"

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const createChooser = (seed: number) => {
  const random = createRandom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0]
  return { random, below, pick }
}
type Chooser = ReturnType<typeof createChooser>

const texts = [
  "",
  "a",
  "A",
  "ß",
  "ss",
  "É",
  "e\u0301",
  "%",
  "_",
  "\\",
  "a%",
  "Σ",
  "ς",
  "😀",
  "İ",
  "ann",
  "x-1",
  "X-1",
  "work",
  "home",
  "a@b.co",
  "'",
  '"',
] as const

const names = [
  "userName",
  "displayName",
  "nickName",
  "externalId",
  "id",
  "name.givenName",
  "name.familyName",
  "emails",
  "emails.value",
  "emails.type",
  "emails.display",
  "groups.display",
  "title",
  "phoneNumbers.value",
  "meta.location",
  "meta.resourceType",
  "USERNAME",
  "urn:ietf:params:scim:schemas:core:2.0:User:displayName",
] as const
const parts = ["value", "type", "display"] as const
const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const
const orders = ["eq", "ne", "gt", "ge", "lt", "le"] as const
const times = [
  "2023-11-14T22:13:20Z",
  "2023-11-14T22:13:21.5Z",
  "2023-11-15T00:13:25+02:00",
  "1970-01-01T00:00:00Z",
] as const

const simple = ({ pick, below }: Chooser, of: readonly [string, ...string[]]): string => {
  if (below(6) === 0) return `${pick(of)} pr`
  if (below(15) === 0) return `${pick(of)} ${pick(["eq", "ne"])} null`
  return `${pick(of)} ${pick(operators)} ${JSON.stringify(pick(texts))}`
}

const term = (chooser: Chooser): string => {
  const { pick, below } = chooser
  switch (below(8)) {
    case 0:
      return `active ${pick(["eq", "ne"])} ${pick(["true", "false", '"True"'])}`
    case 1:
      return `meta.created ${pick(orders)} "${pick(times)}"`
    case 2:
      return `emails[${filterOf(chooser, 1, (inner) => simple(inner, parts))}]`
    case 3:
      return `${pick(["emails.primary", "emails"])} pr`
    case 4:
      return `emails[primary eq ${pick(["true", "false"])}].value ${pick(operators)} "a"`
    default:
      return simple(chooser, names)
  }
}

const filterOf = (chooser: Chooser, depth: number, leaf: (chooser: Chooser) => string): string => {
  const inner = (): string => filterOf(chooser, depth - 1, leaf)
  const kind = depth <= 0 ? 9 : chooser.below(6)
  if (kind === 0) return `${inner()} and ${inner()}`
  if (kind === 1) return `${inner()} or ${inner()}`
  if (kind === 2) return `not (${inner()})`
  if (kind === 3) return `(${inner()})`
  return leaf(chooser)
}

describe.each(databases)("generated filters on $name", ({ open }) => {
  let opened: OpenedDatabase
  let users: Json[]
  let views: ReturnType<typeof createViews>

  beforeAll(async () => {
    opened = await open()
    await seedOdd(opened.db, createChooser(7), texts)
    views = createViews(opened.db, "deactivate")
    users = await views.users.page(
      { where: sql<boolean>`(1 = 1)`, order: sql`users.id`, limit: 1000, offset: 0 },
      { projection: everything, base },
    )
  })
  afterAll(() => opened.remove())

  it("find what an evaluation in memory finds", async () => {
    const compile = createFilterCompiler({ type: userType, base })
    const chooser = createChooser(42)
    for (let round = 0; round < rounds; round++) {
      const text = filterOf(chooser, 3, term)
      const filter = parseFilter(userType, text)
      const expected = users.filter((user) => matches(filter, user)).map(({ id }) => id)
      const { rows } = await sql<{ id: string }>`
        select users.id from users where ${compile(filter)} order by users.id
      `.execute(opened.db.read)
      expect([text, rows.map(({ id }) => id)]).toEqual([text, expected])
    }
  }, 3_600_000)

  it("never end in anything but a refusal when they are torn", () => {
    const chooser = createChooser(43)
    for (let round = 0; round < rounds; round++) {
      const whole = filterOf(chooser, 3, term)
      const at = chooser.below(whole.length)
      const text =
        whole.slice(0, at) + chooser.pick(["", "(", '"', "\\", "]", " ", "é"]) + whole.slice(at + 1)
      try {
        parseFilter(userType, text)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        expect(error).toMatchObject({ status: 400, details: { scimType: "invalidFilter" } })
      }
    }
  }, 3_600_000)
})

const paths = [
  "userName",
  "name",
  "name.givenName",
  "emails",
  "emails.value",
  'emails[type eq "work"]',
  'emails[type eq "work"].value',
  "emails[primary eq true].display",
  "active",
  "externalId",
  "title",
  "id",
  "groups",
  "schemas",
  "meta",
  "__proto__",
  "constructor.prototype",
  "nope",
  "",
  "emails[",
  "roles",
  5,
  null,
  {},
] as const
const values = [
  null,
  "",
  "x",
  "a@b.example",
  true,
  "False",
  5,
  [],
  {},
  ["x"],
  { value: "x" },
  { givenName: "G" },
  [{ value: "v@x.example", type: "work", primary: true }],
  [
    { value: "w", primary: true },
    { value: "z", primary: true },
  ],
  JSON.parse('{"__proto__":{"polluted":1},"active":false}'),
  { active: "maybe" },
  [[[]]],
  { emails: [{ value: 5 }] },
  { "name.givenName": "D", nickName: null },
] as const

describeScim("Mutated PATCH bodies", (client) => {
  const own = new Set([
    "schemas",
    "id",
    "externalId",
    "userName",
    "name",
    "displayName",
    "nickName",
    "active",
    "emails",
    "groups",
    "meta",
  ])

  it("change all or nothing, only what is known, and never break", async () => {
    const chooser = createChooser(44)
    const { id } = await client().user("mutated")
    const read = async () => (await client().call("GET", `/Users/${id}`)).body
    let before = await read()
    for (let round = 0; round < rounds / 2; round++) {
      const Operations = Array.from({ length: 1 + chooser.below(3) }, () => ({
        op: chooser.pick(["add", "replace", "remove", "Add", "test"]),
        ...(chooser.below(4) > 0 && { path: chooser.pick(paths) }),
        ...(chooser.below(6) > 0 && { value: chooser.pick(values) }),
      }))
      const answer = await client().call("PATCH", `/Users/${id}`, {
        schemas: [patchUrn],
        Operations,
      })
      const said = [JSON.stringify(Operations), answer.status, answer.body.detail]
      expect([200, 400, 409], said.join(" ")).toContain(answer.status)
      const after = await read()
      expect(after).toEqual(answer.status === 200 ? answer.body : before)
      expect(Object.keys(after).filter((name) => !own.has(name))).toEqual([])
      before = after
    }
    expect({}).not.toHaveProperty("polluted")
  }, 3_600_000)
})
