import { z } from "zod"
import { MessageReference } from "../http/message-reference.ts"
import { json, route } from "../http/route.ts"

/** What is kept in memory, and read again when it has changed. */
export const ReloadedPart = z.enum(["settings", "connections", "functions", "models"])

const Overview = z
  .object({
    version: z.string(),
    node_version: z.string(),
    /** Epoch seconds; so are all times. */
    started_at: z.int(),
    database: z.object({ kind: z.enum(["sqlite", "postgres"]), bytes: z.int() }),
    /** The volume of the data folder; null if the system does not report it. */
    disk: z.object({ free_bytes: z.int(), total_bytes: z.int(), is_low: z.boolean() }).nullable(),
    /** Why writes fail at the moment; null if they succeed. */
    storage_failure: z.string().nullable(),
    storage_failure_reference: MessageReference.nullable(),
    /**
     * Parts that could not be read again after a change: their previous state stays in use, and
     * the gateway keeps trying.
     */
    failed_reloads: z.array(z.object({ part: ReloadedPart, error: z.string() })),
    /** When `npm run backup` last succeeded; null if never, or on PostgreSQL. */
    last_backup_at: z.int().nullable(),
    /** The shell command that makes a backup; null on PostgreSQL. */
    backup_command: z.string().nullable(),
    jobs: z.object({
      waiting: z.int(),
      /** Jobs that failed at least once and will be tried again. */
      retrying: z.int(),
    }),
    /** Limits that are reached, and those of which at least 80 % are used. */
    limits: z.object({ reached: z.int(), nearly: z.int() }),
    users: z.object({ total: z.int(), pending: z.int() }),
    files: z.object({
      failed: z.int(),
      /**
       * Files that were read, and how many of them by this version; null unless some are being read
       * again after an upgrade.
       */
      rereading: z.object({ done: z.int(), total: z.int() }).nullable(),
    }),
    /** API keys that expire within the next 14 days. */
    expiring_keys: z.array(
      z.object({
        name: z.string(),
        /** Null for the service key of a group. */
        user_id: z.string().nullable(),
        group_id: z.string().nullable(),
        owner: z.string(),
        expires_at: z.int(),
      }),
    ),
  })
  .meta({ id: "Overview" })
export type Overview = z.output<typeof Overview>

/** The state of the gateway, for the first page of the administration. */
export const overviewRoutes = {
  get: route("get", "/api/v1/admin/overview", {
    access: "admin",
    summary: "Get the state of the gateway and what needs attention",
    responses: { 200: json(Overview, "The current state") },
  }),
}
