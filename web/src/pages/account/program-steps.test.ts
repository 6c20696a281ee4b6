import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { findProgram, type Platform, type ProgramContext, programs } from "./program-steps.ts"

const origin = "https://models.example.com"
const secret = "sk-0123456789"
const hostileModel = `meta/it's "$HOME" \`id\`:8b\\q`

const createContext = (model: string, platform: Platform = "posix"): ProgramContext => ({
  origin,
  model,
  secret,
  platform,
})

/** Everything that one program's page shows to copy. */
const copyableTexts = (id: string, context: ProgramContext): string[] =>
  findProgram(id)
    .createSteps(context)
    .flatMap((step) => ("code" in step ? [step.code] : step.values.map(([, value]) => value)))

const ids = programs.map(({ id }) => id)

describe.each(["posix", "windows"] as const)("on %s", (platform) => {
  it.each(ids)("%s gets the address, the key and the model", (id) => {
    const all = copyableTexts(id, createContext("llama3.2:latest", platform)).join("\n")
    expect(all).toContain(origin)
    expect(all).toContain(secret)
    expect(all).toContain("llama3.2:latest")
  })
})

it("uses the first program for an unknown ID", () => {
  for (const id of ["unknown", "constructor", undefined]) {
    expect(findProgram(id).id).toBe("claude-code")
  }
})

describe("Claude Code", () => {
  it("gets the address without /v1 and the model for all of its model names", () => {
    expect(copyableTexts("claude-code", createContext("gpt-oss:20b"))).toEqual([
      `export ANTHROPIC_BASE_URL=https://models.example.com
export ANTHROPIC_AUTH_TOKEN=sk-0123456789
export ANTHROPIC_MODEL=gpt-oss:20b
export ANTHROPIC_DEFAULT_OPUS_MODEL=gpt-oss:20b
export ANTHROPIC_DEFAULT_SONNET_MODEL=gpt-oss:20b
export ANTHROPIC_DEFAULT_HAIKU_MODEL=gpt-oss:20b
claude`,
    ])
  })

  it.skipIf(process.platform === "win32")("receives any model ID from a POSIX shell", () => {
    const [script = ""] = copyableTexts("claude-code", createContext(hostileModel))
    const printed = script.replace(/claude$/, 'printf %s "$ANTHROPIC_DEFAULT_HAIKU_MODEL"')
    expect(execFileSync("sh", ["-c", printed], { encoding: "utf8" })).toBe(hostileModel)
  })

  it("gets PowerShell variables on Windows", () => {
    const [script = ""] = copyableTexts("claude-code", createContext("it's", "windows"))
    expect(script.split("\n").slice(1, 3)).toEqual([
      "$env:ANTHROPIC_AUTH_TOKEN = 'sk-0123456789'",
      "$env:ANTHROPIC_MODEL = 'it''s'",
    ])
  })
})

describe("Codex", () => {
  it("gets a provider with the Responses API, and its key from the environment", () => {
    expect(copyableTexts("codex", createContext('a "b"'))).toEqual([
      `model = "a \\"b\\""
model_provider = "portico"
web_search = "disabled"

[model_providers.portico]
name = "Portico"
base_url = "https://models.example.com/v1"
env_key = "PORTICO_API_KEY"
wire_api = "responses"`,
      `export PORTICO_API_KEY=sk-0123456789
codex`,
    ])
  })

  it("names the file in Windows' own notation", () => {
    const [file] = findProgram("codex").createSteps(createContext("m", "windows"))
    expect(file).toMatchObject({ title: "%USERPROFILE%\\.codex\\config.toml" })
  })
})

it("gives Continue quoted YAML", () => {
  expect(copyableTexts("continue", createContext("llama: #1"))).toEqual([
    `name: Portico
version: 0.0.1
schema: v1
models:
  - name: "llama: #1"
    provider: openai
    model: "llama: #1"
    apiBase: "https://models.example.com/v1"
    apiKey: "sk-0123456789"`,
  ])
})

it.each(["cursor", "n8n"])("gives %s the address with /v1, to enter into its form", (id) => {
  expect(copyableTexts(id, createContext(hostileModel))).toEqual(
    expect.arrayContaining([`${origin}/v1`, secret, hostileModel]),
  )
})

it("gives LangChain a Python string", () => {
  const [code = ""] = copyableTexts("langchain", createContext('a "b"\\'))
  expect(code).toContain(String.raw`    model="a \"b\"\\",`)
})

describe("curl", () => {
  const readBody = (text: string): unknown => JSON.parse(text).model

  it.skipIf(process.platform === "win32")("sends any model ID", () => {
    const [command = ""] = copyableTexts("curl", createContext(hostileModel))
    const script = `curl() { for last; do :; done; printf %s "$last"; }\n${command}`
    const body = execFileSync("sh", ["-c", script], { encoding: "utf8" })
    expect(readBody(body)).toBe(hostileModel)
  })

  it("becomes a command of PowerShell on Windows", () => {
    const [command = ""] = copyableTexts("curl", createContext(hostileModel, "windows"))
    const [, body = ""] = /-Body '(.*)'$/.exec(command) ?? []
    expect(command).toContain(`-Uri '${origin}/v1/chat/completions'`)
    expect(readBody(body.replaceAll("''", "'"))).toBe(hostileModel)
  })
})
