import { z } from "zod"

export const OpenAIErrorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
    detail: z
      .string()
      .optional()
      .describe("Same as `error.message`; absent in errors that come from the provider"),
  })
  .meta({ id: "OpenAIError" })

export const AnthropicErrorBody = z
  .object({
    type: z.literal("error"),
    error: z.object({ type: z.string(), message: z.string() }),
    request_id: z.string().nullish(),
  })
  .meta({ id: "AnthropicError" })
