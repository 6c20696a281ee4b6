import { z } from "zod"

/**
 * A model as Codex expects it, next to OpenAI's list. Codex ignores the whole list if a required
 * field of one entry is missing or has an unknown value.
 */
export const CodexModel = z
  .object({
    slug: z.string(),
    display_name: z.string(),
    description: z.string(),
    default_reasoning_level: z.literal("medium").nullable(),
    supported_reasoning_levels: z.array(
      z.object({ effort: z.enum(["low", "medium", "high"]), description: z.string() }),
    ),
    shell_type: z.literal("shell_command"),
    visibility: z.literal("list"),
    supported_in_api: z.literal(true),
    priority: z.int(),
    upgrade: z.null(),
    base_instructions: z.string(),
    /** The name that older versions of Codex read. */
    supports_reasoning_summaries: z.boolean(),
    supports_reasoning_summary_parameter: z.boolean(),
    support_verbosity: z.literal(false),
    default_verbosity: z.null(),
    apply_patch_tool_type: z.null(),
    truncation_policy: z.object({ mode: z.literal("tokens"), limit: z.int() }),
    supports_parallel_tool_calls: z.boolean(),
    context_window: z.int().optional(),
    input_modalities: z.array(z.enum(["text", "image"])),
    experimental_supported_tools: z.array(z.never()),
  })
  .meta({ id: "CodexModel" })
export type CodexModel = z.output<typeof CodexModel>
