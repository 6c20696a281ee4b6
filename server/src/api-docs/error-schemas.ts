import { z } from "zod"
import { AnthropicErrorBody, OpenAIErrorBody } from "../http/error-bodies.ts"
import type { ErrorStyle } from "../http/failure-response.ts"
import { MessageReference } from "../http/message-reference.ts"
import { StorageUsage } from "../storage/schema.ts"

const ApiError = z
  .object({
    detail: z.string(),
    code: z.string(),
    ...MessageReference.partial().shape,
    errors: z
      .array(
        z.object({
          path: z.string(),
          message: z.string(),
          ...MessageReference.partial().shape,
          line: z.int().optional(),
          column: z.int().optional(),
        }),
      )
      .optional(),
    /** Present if the code is `storage_limit`. */
    storage: StorageUsage.optional(),
  })
  .meta({ id: "Error", description: "`detail` is a message for people, `code` for programs" })

const RuntimeError = z.object({ error: z.string() }).meta({ id: "RuntimeError" })

const ScimError = z
  .object({
    schemas: z.array(z.literal("urn:ietf:params:scim:api:messages:2.0:Error")),
    status: z.string(),
    detail: z.string(),
    scimType: z.string().optional(),
  })
  .meta({ id: "ScimError" })

/** Error body schema by the route's error style (see http/failure-response.ts). */
export const errorSchemas: Record<ErrorStyle, z.ZodType> = {
  api: ApiError,
  openai: OpenAIErrorBody,
  anthropic: AnthropicErrorBody,
  runtime: RuntimeError,
  scim: ScimError,
}
