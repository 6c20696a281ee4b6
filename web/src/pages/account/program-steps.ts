import type { ApiKeyRestrictions } from "../../../../server/src/auth/schema.ts"
import { isRouteAllowed } from "../../../../server/src/http/allowed-routes.ts"
import type { MessageKey } from "../../i18n/translate.ts"
import { quotePosix, quotePowerShell, quoteString } from "../../lib/quoting.ts"
import { createApiSnippets, createSampleBody, type SnippetContext } from "../models/api-snippets.ts"

/** Stands for a key whose secret is not known. */
export const keyPlaceholder = "YOUR_API_KEY"

export type Platform = "posix" | "windows"

export interface ProgramContext extends SnippetContext {
  platform: Platform
}

/** Something to paste: code for a terminal or a file, or values for the fields of a form. */
export type ProgramStep = { help?: MessageKey } & (
  | { title: string; code: string }
  | { values: readonly (readonly [field: string, value: string])[] }
)

export interface Program {
  /** In the page's URL. */
  id: string
  name: string
  /** The route that it calls; the key must be allowed to. */
  route: string
  /** Its steps differ between platforms. */
  hasPlatforms?: true
  createSteps: (context: ProgramContext) => ProgramStep[]
}

const chatRoute = "/v1/chat/completions"

const terminalOf = (platform: Platform): string =>
  platform === "windows" ? "PowerShell" : "Terminal"

/** A path below the user's home folder. */
const homePath = (platform: Platform, folder: string, file: string): string =>
  platform === "windows" ? `%USERPROFILE%\\${folder}\\${file}` : `~/${folder}/${file}`

/** Commands that set environment variables and then start a program. */
const startWithVariables = (
  platform: Platform,
  variables: Record<string, string>,
  command: string,
): string => {
  const lines = Object.entries(variables).map(([name, value]) =>
    platform === "windows"
      ? `$env:${name} = ${quotePowerShell(value)}`
      : `export ${name}=${quotePosix(value)}`,
  )
  return [...lines, command].join("\n")
}

/** Claude Code requests models of its own unless each of its model names is mapped. */
const claudeCode = ({ origin, model, secret, platform }: ProgramContext): ProgramStep[] => {
  const variables = {
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_AUTH_TOKEN: secret,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
  }
  const code = startWithVariables(platform, variables, "claude")
  return [{ title: terminalOf(platform), help: "programs.claudeCodeHelp", code }]
}

const codex = ({ origin, model, secret, platform }: ProgramContext): ProgramStep[] => [
  {
    title: homePath(platform, ".codex", "config.toml"),
    help: "programs.codexFileHelp",
    code: `model = ${quoteString(model)}
model_provider = "portico"
web_search = "disabled"

[model_providers.portico]
name = "Portico"
base_url = ${quoteString(`${origin}/v1`)}
env_key = "PORTICO_API_KEY"
wire_api = "responses"`,
  },
  {
    title: terminalOf(platform),
    help: "programs.codexKeyHelp",
    code: startWithVariables(platform, { PORTICO_API_KEY: secret }, "codex"),
  },
]

const cursor = ({ origin, model, secret }: ProgramContext): ProgramStep[] => [
  {
    help: "programs.cursorHelp",
    values: [
      ["OpenAI API Key", secret],
      ["Override OpenAI Base URL", `${origin}/v1`],
      ["Add Custom Model", model],
    ],
  },
]

const continueEditor = ({ origin, model, secret, platform }: ProgramContext): ProgramStep[] => [
  {
    title: homePath(platform, ".continue", "config.yaml"),
    help: "programs.continueHelp",
    code: `name: Portico
version: 0.0.1
schema: v1
models:
  - name: ${quoteString(model)}
    provider: openai
    model: ${quoteString(model)}
    apiBase: ${quoteString(`${origin}/v1`)}
    apiKey: ${quoteString(secret)}`,
  },
]

const langchain = ({ origin, model, secret }: ProgramContext): ProgramStep[] => [
  {
    title: "Python",
    help: "programs.langchainHelp",
    code: `from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    base_url=${quoteString(`${origin}/v1`)},
    api_key=${quoteString(secret)},
    model=${quoteString(model)},
)
print(model.invoke("Hello").content)`,
  },
]

const n8n = ({ origin, model, secret }: ProgramContext): ProgramStep[] => [
  {
    help: "programs.n8nHelp",
    values: [
      ["API Key", secret],
      ["Base URL", `${origin}/v1`],
      ["Model", model],
    ],
  },
]

const openaiSdk = (context: ProgramContext): ProgramStep[] => {
  const { python, typescript } = createApiSnippets(context)
  return [
    { title: "Python", help: "programs.sdkHelp", code: python },
    { title: "TypeScript", code: typescript },
  ]
}

/** Windows PowerShell removes double quotes from what it passes to `curl.exe`. */
const invokeRestMethod = ({ origin, model, secret }: ProgramContext): string =>
  `Invoke-RestMethod -Method Post -Uri ${quotePowerShell(origin + chatRoute)} \`
  -Headers @{ Authorization = ${quotePowerShell(`Bearer ${secret}`)} } \`
  -ContentType 'application/json; charset=utf-8' \`
  -Body ${quotePowerShell(createSampleBody(model))}`

const curl = (context: ProgramContext): ProgramStep[] => {
  const { platform } = context
  const code = platform === "windows" ? invokeRestMethod(context) : createApiSnippets(context).curl
  return [{ title: terminalOf(platform), code }]
}

/** The programs that can be connected; the first is preselected. */
export const programs: readonly [Program, ...Program[]] = [
  {
    id: "claude-code",
    name: "Claude Code",
    route: "/v1/messages",
    hasPlatforms: true,
    createSteps: claudeCode,
  },
  { id: "codex", name: "Codex", route: "/v1/responses", hasPlatforms: true, createSteps: codex },
  { id: "cursor", name: "Cursor", route: chatRoute, createSteps: cursor },
  {
    id: "continue",
    name: "Continue",
    route: chatRoute,
    hasPlatforms: true,
    createSteps: continueEditor,
  },
  { id: "langchain", name: "LangChain", route: chatRoute, createSteps: langchain },
  { id: "n8n", name: "n8n", route: chatRoute, createSteps: n8n },
  { id: "openai-sdk", name: "OpenAI SDK", route: chatRoute, createSteps: openaiSdk },
  { id: "curl", name: "curl", route: chatRoute, hasPlatforms: true, createSteps: curl },
]

/** The program with this ID, or the first one. */
export const findProgram = (id: string | undefined): Program =>
  programs.find((program) => program.id === id) ?? programs[0]

/** Whether the key may call the program's route. */
export const isProgramAllowed = (
  { allowed_routes: allowed }: Pick<ApiKeyRestrictions, "allowed_routes">,
  { route }: Program,
): boolean => allowed === null || isRouteAllowed(allowed, { path: route, isAliased: true })
