import { z } from "zod"

/** @see https://platform.claude.com/docs/en/api/models/list */
export const AnthropicModelInfo = z
  .object({
    type: z.literal("model"),
    id: z.string(),
    display_name: z.string(),
    created_at: z.iso.datetime(),
    max_input_tokens: z.int().nullable(),
    max_tokens: z.null(),
    capabilities: z.null(),
    lifecycle: z.literal("active"),
    line: z.null(),
    deprecated_at: z.null(),
    retires_at: z.null(),
  })
  .meta({ id: "AnthropicModel" })
export type AnthropicModelInfo = z.output<typeof AnthropicModelInfo>

export const AnthropicModelList = z
  .object({
    data: z.array(AnthropicModelInfo),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: "AnthropicModelList" })
export type AnthropicModelList = z.output<typeof AnthropicModelList>
