import { z } from "zod"

const Details = z.record(z.string(), z.unknown()).nullable()

const AuditOutcome = z.enum(["success", "failure"])

/** One act: who did what to what, from where, and what came of it. */
export const AuditEvent = z
  .object({
    id: z.string(),
    /** Epoch seconds. */
    at: z.int(),
    /** `user`, `key`, `scim`, `system` or `anonymous`. */
    actor_type: z.string(),
    actor_id: z.string().nullable(),
    /** Of an account that is there still; an e-mail address. */
    actor_name: z.string().nullable(),
    key_id: z.string().nullable(),
    address: z.string().nullable(),
    /** `<noun>.<past participle>`, such as `user.deactivated`. */
    action: z.string(),
    target_type: z.string().nullable(),
    target_id: z.string().nullable(),
    target_name: z.string().nullable(),
    /** Names of the attributes that changed. */
    changed: z.array(z.string()),
    /** Names of attributes that were sent and not kept. */
    ignored: z.array(z.string()),
    /** Old and new of what decides over access. */
    before: Details,
    after: Details,
    outcome: AuditOutcome,
    status: z.int().nullable(),
    /** How many like it this one stands for. */
    count: z.int(),
    request_id: z.string().nullable(),
    /** The block that seals it; null for the newest. */
    block: z.int().nullable(),
  })
  .meta({ id: "AuditEvent" })
export type AuditEvent = z.output<typeof AuditEvent>

const term = z.string().trim().max(200).optional()

export const AuditFilters = z.object({
  /** Epoch seconds, both inclusive. */
  from: z.coerce.number<string>().int().min(0).optional(),
  to: z.coerce.number<string>().int().min(0).optional(),
  /** An account's id or e-mail, a key's id, or a kind of actor. */
  actor: term,
  /** An action or how it begins: `user.`, `scim.user`. */
  action: term,
  /** An id, an account's e-mail, or a kind of target. */
  target: term,
  outcome: AuditOutcome.optional(),
  address: term,
  request_id: term,
  /** Anywhere in an event, and in names and e-mails of accounts and groups. */
  query: term,
})
export type AuditFilters = z.output<typeof AuditFilters>

export const AuditQuery = AuditFilters.extend({
  /** `next` of the page before. */
  cursor: z
    .string()
    .regex(/^\d{1,12}\.[\w-]{1,64}$/, "must be the next of a page")
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
    /** The latest first. Fewer than a page when the search took long: go on with `next`. */
    items: z.array(AuditEvent),
    /** Where older ones go on; null at the end. */
    next: z.string().nullable(),
    /** How far back was looked, in epoch seconds; null when all was. */
    searched_to: z.int().nullable(),
  })
  .meta({ id: "AuditPage" })
export type AuditPage = z.output<typeof AuditPage>

export const AuditStatus = z
  .object({
    /** Blocks of the chain, and the time of the latest one. */
    blocks: z.int(),
    sealed_at: z.int().nullable(),
    /** Events older than this went by their age; null when none has. */
    pruned_to: z.int().nullable(),
    stream: z
      .object({
        /** `stdout`, or the host of the collector. */
        to: z.string(),
        /** Blocks that wait to be sent. */
        behind: z.int(),
        sent_at: z.int().nullable(),
        /** Events the collector refused, or that went by their age before they were sent. */
        dropped: z.int(),
        error: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: "AuditStatus" })
export type AuditStatus = z.output<typeof AuditStatus>
