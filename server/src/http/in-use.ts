import { z } from "zod"
import { fail } from "../errors.ts"
import { MessageReference } from "./message-reference.ts"

const NamedObject = z.object({ type: z.string(), id: z.string(), name: z.string() })

/** What a deletion would take from other people or break. */
export const ObjectsInUse = z
  .object({
    total: z.int(),
    /** How many there are of each type. */
    counts: z.record(z.string(), z.int()),
    /** The first 20 of each type. */
    items: z.array(
      NamedObject.extend({
        owner: z.object({ id: z.string(), name: z.string() }).nullable(),
        /** The first five accounts and groups that it is shared with. */
        shared_with: z.array(NamedObject),
        shared_count: z.int(),
        /** The first five objects of other people that depend on it. */
        used_by: z.array(NamedObject),
        used_count: z.int(),
      }),
    ),
  })
  .meta({ id: "ObjectsInUse" })
export type ObjectsInUse = z.output<typeof ObjectsInUse>

/** The body of an error 409 `in_use`. */
export const InUseError = z
  .object({
    detail: z.string(),
    code: z.string(),
    ...MessageReference.partial().shape,
    in_use: ObjectsInUse.optional(),
  })
  .meta({ id: "InUseError" })

/** `delete` deletes what others use as well. */
export const DeletionConfirmation = z.object({ confirm: z.literal("delete").optional() })
export type DeletionConfirmation = z.output<typeof DeletionConfirmation>

/**
 * Rejects a deletion that would affect others, unless it was confirmed.
 * @param reason a sentence: "Other people use what this account owns."
 * @throws {Failure} `in_use`
 */
export const requireUnused = (
  in_use: ObjectsInUse,
  { confirm }: DeletionConfirmation,
  reason: string,
): void => {
  if (in_use.total === 0 || confirm === "delete") return
  fail("in_use", `${reason} To delete it all the same, add confirm=delete.`, { body: { in_use } })
}
