import assert from "node:assert/strict"
import { type Client, type ClientContext, runFeatureTests } from "./client.ts"
import { findMissingPackage, programPath } from "./installed-programs.ts"
import { findNpmVersion } from "./pinned-versions.ts"
import { readProgramSteps } from "./program-steps.ts"
import { note, readAnswer, runInNewFolder } from "./run-in-new-folder.ts"
import type { ProgramResult } from "./run-program.ts"
import {
  createCallPrompt,
  plainAnswer,
  reasoningReturned,
  structuredAnswer,
  structuredSchema,
  thinkFirst,
} from "./scripted-providers/scripted-model.ts"

const launcher = programPath("node_modules/@openai/codex/bin/codex.js")

/** Containers cannot start Codex's sandbox. Codex asks no questions and no other servers. */
const options = [
  "--skip-git-repo-check",
  "--dangerously-bypass-approvals-and-sandbox",
  ...["-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"],
]

export const runCodex = async (
  context: ClientContext,
  prompt: string,
  more: readonly string[] = [],
): Promise<ProgramResult> => {
  const [config = "", commands = ""] = await readProgramSteps("codex", context)
  return runInNewFolder({
    commands,
    homeFiles: {
      ".codex/config.toml": config,
      "schema.json": JSON.stringify(structuredSchema),
    },
    createArgs: () => [launcher, "exec", ...options, prompt, ...more],
  })
}

/** The settings of Codex's own provider, as in `docs/clients.md`. */
export const runCodexWithBaseUrl = (
  { url, key, model }: ClientContext,
  prompt: string,
): Promise<ProgramResult> =>
  runInNewFolder({
    commands: "codex",
    env: { CODEX_API_KEY: key },
    homeFiles: {
      ".codex/config.toml": [
        ...[`model = "${model}"`, 'web_search = "disabled"'],
        `openai_base_url = "${url}/v1"`,
      ].join("\n"),
    },
    createArgs: () => [launcher, "exec", ...options, prompt],
  })

const callShell = createCallPrompt("exec_command", { cmd: "cat note.txt" })

/** Codex's `exec` command. */
export const codex: Client = {
  name: "Codex",
  version: findNpmVersion("@openai/codex"),
  api: "responses",
  findMissing: () => findMissingPackage("@openai/codex"),
  run: (context) =>
    runFeatureTests(
      {
        stream: async () => {
          assert.equal(readAnswer(await runCodex(context, "Hello")), plainAnswer)
        },
        tools: async () => {
          const answer = readAnswer(await runCodex(context, callShell))
          assert.ok(answer.startsWith("The tool returned: ") && answer.endsWith(note), answer)
          const call = createCallPrompt("multi_agent_v1__close_agent", { target: "nobody" })
          const ofNamespace = readAnswer(await runCodex(context, call))
          assert.match(ofNamespace, /^The tool returned: /)
          assert.doesNotMatch(ofNamespace, /unsupported call/)
        },
        reasoning: async () => {
          const answer = readAnswer(await runCodex(context, `${thinkFirst} ${callShell}`))
          assert.ok(answer.endsWith(reasoningReturned), answer)
        },
        "structured output": async () => {
          const more = ["--output-schema", "../home/schema.json"]
          const answer = readAnswer(await runCodex(context, "Hello", more))
          assert.deepEqual(JSON.parse(answer), structuredAnswer)
        },
        images: async () => {
          const result = await runCodex(context, "What is this?", ["--image", "pixel.png"])
          assert.equal(readAnswer(result), "I see image/png.")
        },
        errors: async () => {
          const unknown = { ...context, model: "no-such-model" }
          const { code, stderr } = await runCodex(unknown, "Hello")
          assert.equal(code, 1)
          assert.match(stderr, /no-such-model/)
        },
      },
      context,
    ),
}
