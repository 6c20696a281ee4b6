import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { readSecretKey } from "./key-file.ts"
import { createSecrets } from "./secrets.ts"

describe("what is sealed", () => {
  const secrets = createSecrets("one secret key")

  it.each(["", "sk-1", "ünïcödé 😀", "x".repeat(10_000)])("opens again: %#", (text) => {
    const sealed = secrets.seal(text)
    if (text) expect(sealed).not.toContain(text)
    expect(secrets.seal(text)).not.toBe(sealed)
    expect(secrets.unseal(sealed)).toBe(text)
    expect(createSecrets("one secret key").unseal(sealed)).toBe(text)
  })

  it("does not open changed, cut short or under another key", () => {
    const sealed = secrets.seal("text")
    const other = createSecrets("another secret key")
    expect(() => other.unseal(sealed)).toThrow("another SECRET_KEY")
    const changed = sealed.replace(/^v1\../, sealed[3] === "A" ? "v1.B" : "v1.A")
    for (const text of [changed, sealed.slice(0, -4), sealed.slice(0, 20), ""]) {
      expect(() => secrets.unseal(text)).toThrow()
    }
  })
})

describe("the key file", () => {
  const folder = mkdtempSync(join(tmpdir(), "portico-key-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is made once, for its owner's eyes only", () => {
    const key = readSecretKey(folder)
    expect(Buffer.from(key, "base64")).toHaveLength(32)
    expect(readSecretKey(folder)).toBe(key)
    expect(statSync(join(folder, "secret.key")).mode & 0o777).toBe(0o600)
  })

  it("is made anew where a crash left an empty one, or half of one beside", () => {
    writeFileSync(join(folder, "secret.key"), "")
    writeFileSync(join(folder, "secret.key.part"), "half")
    const key = readSecretKey(folder)
    expect(Buffer.from(key, "base64")).toHaveLength(32)
    expect(readSecretKey(folder)).toBe(key)
  })

  it("is never made anew where something may be stored under it", () => {
    writeFileSync(join(folder, "portico.db"), "")
    writeFileSync(join(folder, "secret.key"), "\n")
    expect(() => readSecretKey(folder)).toThrow(/secret\.key is missing or empty.*backup/s)
    rmSync(join(folder, "secret.key"))
    expect(() => readSecretKey(folder)).toThrow("openssl rand -base64 32")
  })
})
