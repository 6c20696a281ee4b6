import type { CodexModel } from "./codex-schema.ts"
import { isChatModel } from "./is-chat-model.ts"
import type { ModelRecord } from "./schema.ts"

const baseInstructions = `You are a coding agent. You work in a terminal, in a folder of the user's project.

- Read the relevant files before you change anything. Do not guess what code does.
- Use the shell tool to search, read, edit, build and test. Prefer \`rg\` for searches.
- Keep changes minimal: do what was asked, in the style of the surrounding code, and leave unrelated code alone.
- Never discard changes that you did not make, and do not commit unless the user asks for it.
- Do not run commands that delete data or reach beyond the project unless the user asks for them.
- After a change, run the tests or commands that can show whether it works. If you cannot, say so.
- If a command fails, read its output and fix the cause before you try again.
- Continue until the task is finished. Ask only if you cannot decide something yourself.

Before a series of commands, say in one sentence what you are about to do. When you are finished, report briefly what you
changed and why, name the files, and mention anything that is left to do. Write plain text; put code and paths in
backticks.`

const reasoningLevels: CodexModel["supported_reasoning_levels"] = [
  { effort: "low", description: "Quick answers with little reasoning" },
  { effort: "medium", description: "A balance of speed and depth" },
  { effort: "high", description: "More reasoning for difficult tasks" },
]

/** In tokens; Codex shortens longer outputs of commands. */
const maxToolOutput = 10_000

/** As on the web page: if a provider reports no capabilities, its models may support images. */
const supportsImages = ({ capabilities, connection_type }: ModelRecord): boolean =>
  capabilities.vision ?? connection_type === "external"

const toCodexModel = (record: ModelRecord, priority: number): CodexModel => {
  const { id, name, description, capabilities, context_length } = record
  const canReason = capabilities.thinking === true || capabilities.reasoning === true
  return {
    slug: id,
    display_name: name || id,
    description,
    default_reasoning_level: canReason ? "medium" : null,
    supported_reasoning_levels: canReason ? reasoningLevels : [],
    shell_type: "shell_command",
    visibility: "list",
    supported_in_api: true,
    priority,
    upgrade: null,
    base_instructions: baseInstructions,
    supports_reasoning_summaries: canReason,
    supports_reasoning_summary_parameter: canReason,
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: null,
    truncation_policy: { mode: "tokens", limit: maxToolOutput },
    supports_parallel_tool_calls: true,
    ...(context_length !== undefined && { context_window: context_length }),
    input_modalities: supportsImages(record) ? ["text", "image"] : ["text"],
    experimental_supported_tools: [],
  }
}

/** The models that can answer, in their order, with what Codex needs to know about each. */
export const toCodexModels = (records: readonly ModelRecord[]): CodexModel[] =>
  records.filter(isChatModel).map(toCodexModel)
