import assert from "node:assert/strict"
import { join } from "node:path"
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

const wrapper = programPath("node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs")

/** Sends nothing to other servers, and retries nothing. */
const env = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_TELEMETRY: "1",
}

/** Runs Claude Code in print mode. */
export const runClaudeCode = async (
  context: ClientContext,
  createPrompt: (folder: string) => string,
  options: readonly string[] = [],
): Promise<ProgramResult> => {
  const [commands = ""] = await readProgramSteps("claude-code", context)
  const tools = ["--allowedTools", "Bash,Read"]
  return runInNewFolder({
    ...{ commands, env },
    createArgs: (folder) => [wrapper, "-p", createPrompt(folder), ...tools, ...options],
  })
}

const callBash = createCallPrompt("Bash", { command: "cat note.txt", description: "Read a note" })

/** Claude Code in print mode. */
export const claudeCode: Client = {
  name: "Claude Code",
  version: findNpmVersion("@anthropic-ai/claude-code"),
  api: "messages",
  findMissing: () => findMissingPackage("@anthropic-ai/claude-code"),
  run: (context) =>
    runFeatureTests(
      {
        stream: async () => {
          const result = await runClaudeCode(context, () => "Hello")
          assert.equal(readAnswer(result), plainAnswer)
        },
        tools: async () => {
          const result = await runClaudeCode(context, () => callBash)
          assert.equal(readAnswer(result), `The tool returned: ${note}`)
        },
        reasoning: async () => {
          const result = await runClaudeCode(context, () => `${thinkFirst} ${callBash}`)
          assert.ok(readAnswer(result).endsWith(reasoningReturned), result.stdout)
        },
        "structured output": async () => {
          const prompt = createCallPrompt("StructuredOutput", structuredAnswer)
          const schema = ["--json-schema", JSON.stringify(structuredSchema)]
          const options = [...schema, "--output-format", "json"]
          const result = await runClaudeCode(context, () => prompt, options)
          const { structured_output } = JSON.parse(readAnswer(result))
          assert.deepEqual(structured_output, structuredAnswer)
        },
        images: async () => {
          const result = await runClaudeCode(context, (folder) =>
            createCallPrompt("Read", { file_path: join(folder, "pixel.png") }),
          )
          assert.match(readAnswer(result), /^I see image\/png\./)
        },
        errors: async () => {
          const unknown = { ...context, model: "no-such-model" }
          const { code, stdout } = await runClaudeCode(unknown, () => "Hello")
          assert.equal(code, 1)
          assert.match(stdout, /no-such-model/)
        },
      },
      context,
    ),
}
