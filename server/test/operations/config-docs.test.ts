import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type Config, readConfig, variableNames } from "../../src/config/config.ts"
import { oidcVariableSuffixes } from "../../src/config/oidc-config.ts"
import { Settings } from "../../src/settings/schema.ts"

const root = join(import.meta.dirname, "../../..")
const page = readFileSync(join(root, "docs/configuration.md"), "utf8")

const rowPattern = /^\| `([A-Z][A-Z0-9_]*(?:<NAME>_[A-Z_]+)?)` \| (.+?) \| (.+?) \| `(.+?)` \|$/gm
const allRows = [...page.matchAll(rowPattern)].map(
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

/** The documented default as the variable's value; undefined if the cell contains only prose. */
const literalDefault = (fallback: string): string | undefined => /^`([^`]+)`/.exec(fallback)?.[1]

/** Marks a default that administrators can change at run time. */
const editable = ", editable"

/** Variables that others require, so that each can be checked separately. */
const requiredVariables = {
  ADMIN_EMAIL: "ada@example.com",
  ADMIN_PASSWORD: "correct horse battery",
  SECRET_KEY: "0123456789abcdef0123456789abcdef",
  SCIM_TOKEN: "0123456789abcdef",
  OPENAI_API_BASE_URLS: "http://one/v1;http://two/v1",
  PUBLIC_URL: "https://models.example.com",
  OIDC_OKTA_ISSUER: "https://example.okta.com",
  OIDC_OKTA_CLIENT_ID: "portico",
}

it("docs/configuration.md has exactly one row for every variable", () => {
  expect(rows.map(({ name }) => name).sort()).toEqual([...variableNames].sort())
})

it("has exactly one row for every single sign-on variable", () => {
  const endings = oidcVariableSuffixes.map((ending) => `OIDC_OKTA_${ending}`)
  expect(oidcRows.map(({ name }) => name).sort()).toEqual(endings.sort())
})

it("describes each variable", () => {
  for (const { name, meaning } of allRows) expect(meaning.length, name).toBeGreaterThan(10)
})

it("states the actual defaults", () => {
  const { connections, ...defaults } = readConfig({})
  const defaultByName: Partial<Record<string, unknown>> = defaults
  const settings = Settings.parse({})
  const defaultBySetting: Partial<Record<string, unknown>> = settings
  for (const { name, fallback } of rows) {
    const text = literalDefault(fallback)
    const config: Config = readConfig(
      text === undefined ? {} : { ...requiredVariables, [name]: text },
    )
    const value = Object.entries(config).find(([key]) => key === name)?.[1]
    if (fallback.includes(editable)) {
      expect(value, name).toEqual(defaultBySetting[name.toLowerCase()])
      expect(defaultByName[name], name).toBeUndefined()
    } else if (name === "OLLAMA_BASE_URLS") {
      expect(config.connections, name).toEqual(expect.arrayContaining(connections))
    } else if (text === undefined) {
      expect([undefined, []], name).toContainEqual(defaultByName[name])
    } else {
      expect(value, name).toEqual(defaultByName[name])
    }
  }
  expect(connections).toEqual([{ kind: "ollama", url: "http://127.0.0.1:11434", key: "" }])
})

it("gives only valid examples", () => {
  for (const { name, example } of [...rows, ...oidcRows]) {
    expect(() => readConfig({ ...requiredVariables, [name]: example }), name).not.toThrow()
  }
  const all = Object.fromEntries([...rows, ...oidcRows].map(({ name, example }) => [name, example]))
  expect(() => readConfig(all)).not.toThrow()
})
