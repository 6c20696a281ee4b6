import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type Config, readConfig, variableNames } from "../../src/config/config.ts"
import { oidcEndings } from "../../src/config/oidc-config.ts"
import { Settings } from "../../src/settings/schema.ts"

const root = join(import.meta.dirname, "../../..")
const page = readFileSync(join(root, "docs/operations.md"), "utf8")

const rowForm = /^\| `([A-Z][A-Z0-9_]*(?:<NAME>_[A-Z_]+)?)` \| (.+?) \| (.+?) \| `(.+?)` \|$/gm
const allRows = [...page.matchAll(rowForm)].map(
  ([, name = "", meaning = "", fallback = "", example = ""]) => ({
    name,
    meaning,
    fallback,
    example,
  }),
)

const rows = allRows.filter(({ name }) => !name.includes("<NAME>"))
const oidcRows = allRows
  .filter(({ name }) => name.includes("<NAME>"))
  .map((row) => ({ ...row, name: row.name.replace("<NAME>", "OKTA") }))

/** What a row's default says, as it would be set; undefined for "none" and for words. */
const literal = (fallback: string): string | undefined => /^`([^`]+)`/.exec(fallback)?.[1]

const atRunTime = "can be changed at run time"

/** Together with what the others need beside them, so that each is judged for itself. */
const companions = {
  ADMIN_EMAIL: "ada@example.com",
  ADMIN_PASSWORD: "correct horse battery",
  SECRET_KEY: "0123456789abcdef0123456789abcdef",
  SCIM_TOKEN: "0123456789abcdef",
  OPENAI_API_BASE_URLS: "http://one/v1;http://two/v1",
  PUBLIC_URL: "https://models.example.com",
  OIDC_OKTA_ISSUER: "https://example.okta.com",
  OIDC_OKTA_CLIENT_ID: "portico",
}

it("docs/operations.md has one row for every variable, and no other", () => {
  expect(rows.map(({ name }) => name).sort()).toEqual([...variableNames].sort())
})

it("has one row for every ending of the single sign-on variables", () => {
  const endings = oidcEndings.map((ending) => `OIDC_OKTA_${ending}`)
  expect(oidcRows.map(({ name }) => name).sort()).toEqual(endings.sort())
})

it("says what each variable means", () => {
  for (const { name, meaning } of allRows) expect(meaning.length, name).toBeGreaterThan(10)
})

it("gives the defaults that are in force", () => {
  const { providers, runtimes, runtimeAssumed, ...fromNothing } = readConfig({})
  const byName: Partial<Record<string, unknown>> = fromNothing
  const settings = Settings.parse({})
  const bySetting: Partial<Record<string, unknown>> = settings
  for (const { name, fallback } of rows) {
    const said = literal(fallback)
    const set: Config = readConfig(said === undefined ? {} : { ...companions, [name]: said })
    const value = Object.entries(set).find(([key]) => key === name)?.[1]
    if (fallback.includes(atRunTime)) {
      expect(value, name).toEqual(bySetting[name.toLowerCase()])
      expect(byName[name], name).toBeUndefined()
    } else if (name === "OLLAMA_BASE_URLS") {
      expect(set.runtimes, name).toEqual(runtimes)
    } else if (said === undefined) {
      expect([undefined, []], name).toContainEqual(byName[name])
    } else {
      expect(value, name).toEqual(byName[name])
    }
  }
  expect(runtimeAssumed).toBe(true)
  expect(providers).toEqual([])
})

it("gives examples that are accepted", () => {
  for (const { name, example } of [...rows, ...oidcRows]) {
    expect(() => readConfig({ ...companions, [name]: example }), name).not.toThrow()
  }
  const all = Object.fromEntries([...rows, ...oidcRows].map(({ name, example }) => [name, example]))
  expect(() => readConfig(all)).not.toThrow()
})
