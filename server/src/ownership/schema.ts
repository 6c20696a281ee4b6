import { z } from "zod"
import { DeletionConfirmation, ObjectsInUse } from "../http/in-use.ts"
import { withMessage } from "../http/issue-messages.ts"
import { translatable } from "../i18n/message.ts"

export const TransferRequest = z
  .object({
    /** The new owner's user id or email address. */
    transfer_to: z
      .string()
      .trim()
      .min(1, withMessage(translatable("person_required")))
      .max(254),
  })
  .meta({ id: "TransferRequest" })

export const UserRemovalQuery = DeletionConfirmation.extend({
  transfer_to: z
    .string()
    .min(1)
    .max(254)
    .optional()
    .describe("The ID of the account or group that everything reusable is handed over to"),
})
export type UserRemovalQuery = z.output<typeof UserRemovalQuery>

export const OwnedObjects = z
  .object({
    /** How many objects of each type the account owns. */
    counts: z.record(z.string(), z.int()),
    /** Those that other people use, and would lose. */
    in_use: ObjectsInUse,
  })
  .meta({ id: "OwnedObjects" })
export type OwnedObjects = z.output<typeof OwnedObjects>
