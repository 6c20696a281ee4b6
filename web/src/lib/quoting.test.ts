import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { quotePosix, quotePowerShell, quoteString } from "./quoting.ts"

const hostileTexts = [
  "it's",
  `"quoted"`,
  "$HOME and `id` and $(id)",
  "back\\slash",
  "two\nlines",
  "~ * ? [a] {b,c} ! # & | ; < >",
  "-leading dash",
  "Größe 港",
  "",
]

describe("quotePosix", () => {
  it.skipIf(process.platform === "win32").each(hostileTexts)("keeps %j in a shell", (text) => {
    const script = `value=${quotePosix(text)}; printf %s "$value"`
    expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe(text)
  })

  it.each(["llama3.2:latest", "https://models.example.com/v1", "sk-0123_a", "meta/llama@4"])(
    "leaves %s without quotes",
    (text) => {
      expect(quotePosix(text)).toBe(text)
    },
  )
})

it.each([
  ["a model", "'a model'"],
  ["it's $HOME", "'it''s $HOME'"],
  ["‘a’ ‚b‛", "'‘‘a’’ ‚‚b‛‛'"],
  ['"a" `b`', `'"a" \`b\`'`],
])("quotePowerShell doubles every single quote in %j", (text, expected) => {
  expect(quotePowerShell(text)).toBe(expected)
})

describe("quoteString", () => {
  it.each(hostileTexts)("keeps %j in JSON", (text) => {
    expect(JSON.parse(quoteString(text))).toBe(text)
  })

  it("escapes the control characters that TOML and YAML reject", () => {
    expect(quoteString("a\u0000b\u007fc\u0085d\u009fe")).toBe(
      String.raw`"a\u0000b\u007fc\u0085d\u009fe"`,
    )
  })
})
