import { setTimeout as sleep } from "node:timers/promises"
import { createFilterCompiler, matchesFilter, parseFilter, type ScimJson } from "@portico/scim"
import { type RawBuilder, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  generateFilter,
  generateTerm,
  sampleTexts,
} from "../../../packages/scim/test/generate-filters.ts"
import type { Database } from "../../src/db/database.ts"
import { foldCase } from "../../src/db/fold-case.ts"
import { escapeLike } from "../../src/db/text-matching.ts"
import { userType } from "../../src/scim/resource-types.ts"
import { createUserView } from "../../src/scim/user-view.ts"
import { chooseDatabases, type OpenedDatabase } from "../harness/databases.ts"
import { createChooser } from "../harness/random.ts"
import { amount } from "../harness/short-and-long-form.ts"
import { describeScim, patchOpSchema } from "./scim-client.ts"
import { seedUnusualUsers } from "./seed-unusual-users.ts"

/** `npm run fuzz:scim` runs 100,000 rounds of each. The same seed repeats a run. */
const rounds = Number(process.env.SCIM_FUZZ_ROUNDS ?? amount(100, 400))
const seed = Number(process.env.SCIM_FUZZ_SEED ?? 42)
/** A filter is too slow if it always takes longer than this. */
const slowMs = 50
const base = "http://portico.example/api/v1/scim/v2"

const timeFilter = async (db: Database, where: RawBuilder<boolean>) => {
  const startedAt = performance.now()
  const { rows } = await sql<{ id: string }>`
    select users.id from users where ${where} order by users.id
  `.execute(db.read)
  return { ids: rows.map(({ id }) => id), ms: performance.now() - startedAt }
}

/** The minimum of several attempts: load slows down some of them, a slow filter all. */
const minFilterMs = async (db: Database, where: RawBuilder<boolean>): Promise<number> => {
  let ms = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 20 && ms > slowMs; attempt++) {
    await sleep(attempt * 10)
    ms = Math.min(ms, (await timeFilter(db, where)).ms)
  }
  return ms
}

describe.each(chooseDatabases())("generated filters on $name", ({ open }) => {
  let opened: OpenedDatabase
  let users: ScimJson[]

  beforeAll(async () => {
    opened = await open()
    await seedUnusualUsers(opened.db, createChooser(7), sampleTexts)
    users = await createUserView(opened.db, "deactivate").page(
      { where: sql<boolean>`(1 = 1)`, order: sql`users.id`, limit: 1000, offset: 0 },
      { projection: { only: null, except: [] }, base },
    )
  })
  afterAll(() => opened.remove())

  it("match what an in-memory evaluation matches", async () => {
    const compile = createFilterCompiler({ type: userType, base, foldCase, escapeLike })
    const chooser = createChooser(seed)
    for (let round = 0; round < rounds; round++) {
      const text = generateFilter(chooser, 3, generateTerm)
      const filter = parseFilter(userType, text)
      const expected = users.filter((user) => matchesFilter(filter, user)).map(({ id }) => id)
      const found = await timeFilter(opened.db, compile(filter))
      expect([text, found.ids]).toEqual([text, expected])
      const ms = found.ms > slowMs ? await minFilterMs(opened.db, compile(filter)) : found.ms
      expect([text, ms <= slowMs]).toEqual([text, true])
    }
  }, 3_600_000)
})

/** Strings that no database can store, alone and inside text; then empty filters. */
const unstorable = ["\\u0000", "a\\u0000", "\\ud800", "x\\udfffy", "\\uD83D", "\\u0000%"] as const
const empty = ["", " ", "\t", "()", "not ()", "[]", '""', "\u0000", "\u00a0"] as const
const parameters = ["filter", "Filter", "FILTER"] as const

describeScim("Hostile filters and paths", (client) => {
  it("are rejected as a whole, never match everyone and never cause a server error", async () => {
    const chooser = createChooser(seed + 3)
    const { id } = await client().createUser("hostile")
    const hostileTerm = (): string => `userName eq "${chooser.pick(unstorable)}"`
    for (let round = 0; round < rounds; round++) {
      const hostileFilter = generateFilter(chooser, 2, (inner) =>
        inner.below(2) === 0 ? hostileTerm() : generateTerm(inner),
      )
      const filter =
        chooser.below(3) === 0 ? chooser.pick(empty) : `${hostileFilter} or ${hostileTerm()}`
      const endpoint = chooser.pick(["Users", "Groups"])
      const query = `${chooser.pick(parameters)}=${encodeURIComponent(filter)}`
      const found = await client().call("GET", `/${endpoint}?${query}`)
      const context = [seed, endpoint, filter]
      expect([...context, found.status, found.body.Resources]).toEqual([...context, 400, undefined])
      const body = { schemas: [], [chooser.pick(parameters)]: filter }
      const searched = await client().call("POST", `/${endpoint}/.search`, body)
      expect([...context, searched.status]).toEqual([...context, 400])
      const op = chooser.pick(["add", "replace", "remove"])
      const path = `emails[type eq "${chooser.pick(unstorable)}" or ${generateTerm(chooser)}].value`
      const patched = await client().patch(`/Users/${id}`, { op, path, value: "x" })
      expect([seed, path, patched.status]).toEqual([seed, path, 400])
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

  it("apply completely or not at all, change only known attributes, and never cause a server error", async () => {
    const chooser = createChooser(seed + 2)
    const { id } = await client().createUser("mutated")
    const read = async () => (await client().call("GET", `/Users/${id}`)).body
    let before = await read()
    for (let round = 0; round < rounds; round++) {
      const Operations = Array.from({ length: 1 + chooser.below(3) }, () => ({
        op: chooser.pick(["add", "replace", "remove", "Add", "test"]),
        ...(chooser.below(4) > 0 && { path: chooser.pick(paths) }),
        ...(chooser.below(6) > 0 && { value: chooser.pick(values) }),
      }))
      const answer = await client().call("PATCH", `/Users/${id}`, {
        schemas: [patchOpSchema],
        Operations,
      })
      const context = [JSON.stringify(Operations), answer.status, answer.body.detail]
      expect([200, 400, 409], context.join(" ")).toContain(answer.status)
      const after = await read()
      expect(after).toEqual(answer.status === 200 ? answer.body : before)
      expect(Object.keys(after).filter((name) => !own.has(name))).toEqual([])
      before = after
    }
    expect({}).not.toHaveProperty("polluted")
  }, 3_600_000)
})
