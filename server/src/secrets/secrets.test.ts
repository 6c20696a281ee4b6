import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { readSecretKey } from "./key-file.ts"
import { createSecrets } from "./secrets.ts"

describe("sealed values", () => {
  const secrets = createSecrets("one secret key")

  it.each(["", "sk-1", "ünïcödé 😀", "x".repeat(10_000)])("round-trip (case %#)", (text) => {
    const sealed = secrets.seal(text)
    if (text) expect(sealed).not.toContain(text)
    expect(secrets.seal(text)).not.toBe(sealed)
    expect(secrets.unseal(sealed)).toBe(text)
    expect(createSecrets("one secret key").unseal(sealed)).toBe(text)
  })

  it("are rejected if modified, truncated or sealed with another key", () => {
    const sealed = secrets.seal("text")
    const other = createSecrets("another secret key")
    expect(() => other.unseal(sealed)).toThrow("another SECRET_KEY")
    const changed = sealed.replace(/^v1\../, sealed[3] === "A" ? "v1.B" : "v1.A")
    for (const text of [changed, sealed.slice(0, -4), sealed.slice(0, 20), ""]) {
      expect(() => secrets.unseal(text)).toThrow()
    }
  })
})

describe("key file", () => {
  const folder = mkdtempSync(join(tmpdir(), "portico-key-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is created once, readable only by its owner", () => {
    const key = readSecretKey(folder)
    expect(Buffer.from(key, "base64")).toHaveLength(32)
    expect(readSecretKey(folder)).toBe(key)
    expect(statSync(join(folder, "secret.key")).mode & 0o777).toBe(0o600)
  })

  it("is replaced if a crash left it empty or left a partial temporary file", () => {
    writeFileSync(join(folder, "secret.key"), "")
    writeFileSync(join(folder, "secret.key.part"), "half")
    const key = readSecretKey(folder)
    expect(Buffer.from(key, "base64")).toHaveLength(32)
    expect(readSecretKey(folder)).toBe(key)
  })

  it("is not replaced if a database exists", () => {
    writeFileSync(join(folder, "portico.db"), "")
    writeFileSync(join(folder, "secret.key"), "\n")
    expect(() => readSecretKey(folder)).toThrow(/secret\.key is missing or empty.*backup/s)
    rmSync(join(folder, "secret.key"))
    expect(() => readSecretKey(folder)).toThrow("openssl rand -base64 32")
  })
})
