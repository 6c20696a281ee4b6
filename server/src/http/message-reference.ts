import { z } from "zod"

/** What a client needs to show a message in another language; its values may be messages. */
export const MessageReference = z
  .object({
    id: z.string(),
    get values() {
      return z.record(z.string(), z.union([z.string(), z.number(), MessageReference]))
    },
  })
  .meta({ id: "MessageReference" })
export type MessageReference = z.output<typeof MessageReference>
