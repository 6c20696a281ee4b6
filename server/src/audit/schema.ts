import { z } from "zod"

const Details = z.record(z.string(), z.unknown()).nullable()

const AccessChange = z
  .object({
    change: z.enum(["granted", "revoked", "changed"]),
    /** The only account or group that was given or lost access, or null. `*` stands for everyone. */
    principal_id: z.string().nullable(),
    /** Its name; null if it is unknown. */
    principal_name: z.string().nullable(),
  })
  .nullable()

const AuditOutcome = z.enum(["success", "failure"])

/** One action: who did what to which target, from where, and the outcome. */
export const AuditEvent = z
  .object({
    id: z.string(),
    /** Epoch seconds. */
    at: z.int(),
    /** `user`, `key`, `scim`, `system` or `anonymous`. */
    actor_type: z.string(),
    actor_id: z.string().nullable(),
    /** E-mail address of the account, if it still exists. */
    actor_name: z.string().nullable(),
    /** The account's name, if it still exists. */
    actor_display_name: z.string().nullable(),
    key_id: z.string().nullable(),
    /** The API key's name, if the key still exists. */
    key_name: z.string().nullable(),
    address: z.string().nullable(),
    /** `<noun>.<past participle>`, such as `user.deactivated`. */
    action: z.string(),
    target_type: z.string().nullable(),
    target_id: z.string().nullable(),
    /** E-mail address of an account, or the name of another item; null if unknown. */
    target_name: z.string().nullable(),
    /** Names of the attributes that changed. */
    changed: z.array(z.string()),
    /** Names of attributes that were sent but are not stored. */
    ignored: z.array(z.string()),
    /** Old and new values of access-relevant attributes. */
    before: Details,
    after: Details,
    /** How the event changed who has access to the target; null if it did not. */
    access_change: AccessChange,
    outcome: AuditOutcome,
    status: z.int().nullable(),
    /** How many identical events this one represents. */
    count: z.int(),
    request_id: z.string().nullable(),
    /** The block that seals it; null until it is sealed. */
    block: z.int().nullable(),
  })
  .meta({ id: "AuditEvent" })
export type AuditEvent = z.output<typeof AuditEvent>

/** What an action did: to its target, or to who may use it. */
export const AuditOperation = z.enum(["create", "update", "delete", "access"])
export type AuditOperation = z.output<typeof AuditOperation>

const term = z.string().trim().max(200).optional()

export const AuditFilters = z.object({
  /** Epoch seconds, both inclusive. */
  from: z.coerce.number<string>().int().min(0).optional(),
  to: z.coerce.number<string>().int().min(0).optional(),
  /** An account's id or e-mail address, a key's id, or an actor type. */
  actor: term,
  /** An action or a prefix of one: `user.`, `scim.user`. */
  action: term,
  operation: AuditOperation.optional(),
  /** An id, an account's e-mail address, or a target type. */
  target: term,
  outcome: AuditOutcome.optional(),
  address: term,
  request_id: term,
  /** Text anywhere in an event, or in the name of its actor, API key or target. */
  query: term,
})
export type AuditFilters = z.output<typeof AuditFilters>

export const AuditQuery = AuditFilters.extend({
  /** `next` of the previous page. */
  cursor: z
    .string()
    .regex(/^\d{1,12}\.[\w-]{1,64}$/, "Use the next value of a page.")
    .optional(),
  page_size: z.coerce.number<string>().int().min(1).max(200).default(50),
})
export type AuditQuery = z.output<typeof AuditQuery>

export const AuditExportQuery = AuditFilters.extend({
  format: z.enum(["ndjson", "csv"]).default("ndjson"),
})
export type AuditExportQuery = z.output<typeof AuditExportQuery>

export const AuditPage = z
  .object({
    /** Newest first. An incomplete page means that the search took long: continue with `next`. */
    items: z.array(AuditEvent),
    /** Cursor for older events; null at the end. */
    next: z.string().nullable(),
    /** How far back the search got, in epoch seconds; null if it is complete. */
    searched_to: z.int().nullable(),
  })
  .meta({ id: "AuditPage" })
export type AuditPage = z.output<typeof AuditPage>

export const AuditStatus = z
  .object({
    /** Number of blocks in the chain, and the time of the latest. */
    blocks: z.int(),
    sealed_at: z.int().nullable(),
    /** Events up to this time were pruned; null if none were. */
    pruned_to: z.int().nullable(),
    stream: z
      .object({
        /** `stdout`, or the host of the collector. */
        to: z.string(),
        /** Blocks waiting to be sent. */
        behind: z.int(),
        sent_at: z.int().nullable(),
        /** Events rejected by the collector, or pruned before they were sent. */
        dropped: z.int(),
        error: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: "AuditStatus" })
export type AuditStatus = z.output<typeof AuditStatus>
