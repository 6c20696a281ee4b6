import { z } from "zod"

/** Ids come from providers and clients; only these can be stored and indexed. */
export const storableIdPattern = /^[\x21-\x7e]{1,500}$/

export const ResponseParams = z.object({ id: z.string().regex(storableIdPattern) })

export const ResponseQuery = z.object({
  /** Not supported: a stored response is always sent as a whole. */
  stream: z.stringbool().default(false),
})

export const InputItemsQuery = z.object({
  /** The id of an item: the list starts after it. */
  after: z.string().max(500).optional(),
  limit: z.coerce.number<string>().int().min(1).max(100).default(20),
  order: z.enum(["asc", "desc"]).default("desc"),
})
export type InputItemsQuery = z.output<typeof InputItemsQuery>

const Item = z.looseObject({ type: z.string().optional(), id: z.string().optional() })

/** https://platform.openai.com/docs/api-reference/responses/object */
export const StoredResponse = z
  .looseObject({ id: z.string(), output: z.array(Item) })
  .meta({ id: "StoredResponse" })

export const InputItems = z
  .object({
    object: z.literal("list"),
    data: z.array(Item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: "InputItems" })

export const DeletedResponse = z
  .object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) })
  .meta({ id: "DeletedResponse" })
