import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { cert, key } from "../../../packages/http1/test/certificate.ts"
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

const folder = mkdtempSync(join(tmpdir(), "portico-"))
beforeAll(() => {
  writeFileSync(join(folder, "gateway.crt"), cert)
  writeFileSync(join(folder, "gateway.key"), key)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The examples name files of a folder that this machine does not have. */
const configuredValue = (example: string): string => example.replace("/etc/portico", folder)

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
  UPSTREAM_CLIENT_CERT: join(folder, "gateway.crt"),
  UPSTREAM_CLIENT_KEY: join(folder, "gateway.key"),
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
    expect(
      () => readConfig({ ...requiredVariables, [name]: configuredValue(example) }),
      name,
    ).not.toThrow()
  }
  const all = Object.fromEntries(
    [...rows, ...oidcRows].map(({ name, example }) => [name, configuredValue(example)]),
  )
  expect(() => readConfig(all)).not.toThrow()
})

it("reports what is wrong with a client certificate and its key", () => {
  const { UPSTREAM_CLIENT_CERT, UPSTREAM_CLIENT_KEY } = requiredVariables
  expect(() => readConfig({ UPSTREAM_CLIENT_CERT })).toThrow("require each other")
  const missing = { UPSTREAM_CLIENT_CERT: join(folder, "none"), UPSTREAM_CLIENT_KEY }
  expect(() => readConfig(missing)).toThrow("UPSTREAM_CLIENT_CERT must be a readable file (ENOENT")
  const swapped = { UPSTREAM_CLIENT_CERT: UPSTREAM_CLIENT_KEY, UPSTREAM_CLIENT_KEY }
  expect(() => readConfig(swapped)).toThrow("must be a certificate and its key")
})

it("does not repeat a proxy's password, and accepts what NO_PROXY usually contains", () => {
  const HTTPS_PROXY = "socks5://user:secret@proxy.example.com"
  expect(() => readConfig({ HTTPS_PROXY })).toThrow(/^(?!.*secret).*HTTPS_PROXY must be/s)
  const { NO_PROXY } = readConfig({ NO_PROXY: "Localhost, .example.com,10.0.0.0/8 gpu1:8000" })
  expect(NO_PROXY).toEqual(["localhost", ".example.com", "10.0.0.0/8", "gpu1:8000"])
  expect(() => readConfig({ NO_PROXY: "10.0.0.0/99" })).toThrow("10.0.0.0/99")
})
