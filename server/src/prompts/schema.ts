import { z } from "zod"
import { AccessGrants } from "../grants/schema.ts"
import { withMessage } from "../http/issue-messages.ts"
import { ListQuery } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"

const maxContentLength = 20_000

const fields = {
  /** Typed after `/` in a chat. */
  command: z
    .string()
    .trim()
    .toLowerCase()
    .min(1, withMessage(translatable("prompt_command_required")))
    .max(50)
    .regex(/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u, withMessage(translatable("prompt_command_invalid"))),
  title: z
    .string()
    .trim()
    .min(1, withMessage(translatable("title_required")))
    .max(200),
  /** The text, with variables such as `{{name}}` or `{{tone|friendly}}`. */
  content: z
    .string()
    .min(1, withMessage(translatable("prompt_text_required")))
    .max(maxContentLength),
  access_grants: AccessGrants,
}

export const Prompt = z
  .object({
    id: z.string(),
    user_id: z.string(),
    ...fields,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "Prompt" })
export type Prompt = z.output<typeof Prompt>

export const PromptListItem = Prompt.omit({ access_grants: true })
  .extend({
    /** The owner's name. */
    user_name: z.string(),
    grant_count: z.int(),
    /** Whether everyone can use it. */
    is_public: z.boolean(),
    /** Whether the caller may change it. */
    writable: z.boolean(),
  })
  .meta({ id: "PromptListItem" })
export type PromptListItem = z.output<typeof PromptListItem>

export const PromptWithAccess = Prompt.extend({
  /** The owner's name. */
  user_name: z.string().nullable(),
  /** Whether the caller may change it. */
  writable: z.boolean(),
}).meta({ id: "PromptWithAccess" })
export type PromptWithAccess = z.output<typeof PromptWithAccess>

export const NewPrompt = z
  .object({ ...fields, access_grants: AccessGrants.default([]) })
  .meta({ id: "NewPrompt" })
export type NewPrompt = z.output<typeof NewPrompt>

export const PromptChanges = z.object(fields).partial().meta({ id: "PromptChanges" })
export type PromptChanges = z.output<typeof PromptChanges>

export const PromptListQuery = ListQuery.extend({
  /** Without it, the response is an array of the first 200 prompts. */
  page: ListQuery.shape.page.removeDefault().optional(),
  order_by: z.enum(["command", "title", "created_at", "updated_at"]).default("title"),
  /** Excludes prompts that only administrators can see because they can see all. */
  granted: z.stringbool().default(false),
})
export type PromptListQuery = z.output<typeof PromptListQuery>

export const PersonalInstructions = z
  .object({
    /** Added to the system prompt of the user's own chats. */
    instructions: z.string().trim().max(8000),
  })
  .meta({ id: "PersonalInstructions" })
export type PersonalInstructions = z.output<typeof PersonalInstructions>
