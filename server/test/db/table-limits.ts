import type { Config } from "../../src/config/config.ts"
import { maxRows } from "../../src/db/max-rows.ts"
import type { Tables } from "../../src/db/tables.ts"

/** Settings that limit the number of rows per owner. */
type RowLimitSetting = keyof Pick<
  Config,
  | "MAX_CHATS"
  | "MAX_FILES"
  | "MAX_COLLECTIONS"
  | "MAX_MODELS"
  | "MAX_UNFINISHED_UPLOADS"
  | "MAX_SIGNUPS"
>

/** How a table's row count is bounded. */
type TableLimit =
  /** At most `max` rows per `per`; if configurable, `max` names the environment variable. */
  | { kind: "count"; per: string; max: number | RowLimitSetting }
  /** Created from a row of another, limited table; each parent has a bounded number. */
  | { kind: "perParent"; from: keyof Tables; bound: string }
  /** Historical records, removed after the retention period. */
  | { kind: "retained"; for: string }
  /** Only administrators, or the identity provider they connected, can add rows. */
  | { kind: "adminOnly" }

/**
 * Every table with its bound. Bytes are bounded separately: everything stored for a user counts
 * toward MAX_STORAGE.
 */
export const tableLimits: Record<keyof Tables, TableLimit> = {
  users: { kind: "count", per: "gateway, by sign-up", max: "MAX_SIGNUPS" },
  user_emails: { kind: "adminOnly" },
  groups: { kind: "adminOnly" },
  group_members: { kind: "adminOnly" },
  api_keys: { kind: "count", per: "user", max: maxRows.keysPerUser },
  sessions: { kind: "count", per: "user", max: maxRows.sessionsPerUser },
  access_grants: {
    kind: "perParent",
    from: "collections",
    bound: "1,000 for each resource, and `modelGrants`",
  },
  connections: { kind: "adminOnly" },
  connection_models: { kind: "perParent", from: "connections", bound: "one" },
  models: { kind: "count", per: "user", max: "MAX_MODELS" },
  model_contents: { kind: "perParent", from: "models", bound: "one, of 512,000 characters" },
  settings: { kind: "adminOnly" },
  prices: { kind: "adminOnly" },
  clock_state: { kind: "perParent", from: "settings", bound: "one in all" },
  usage: { kind: "retained", for: "usage_retention" },
  usage_sums: { kind: "perParent", from: "usage", bound: "two, which stay when it is deleted" },
  usage_outdated: { kind: "perParent", from: "usage", bound: "two" },
  audit_events: { kind: "retained", for: "audit_retention" },
  audit_blocks: { kind: "retained", for: "audit_retention" },
  audit_state: { kind: "perParent", from: "audit_blocks", bound: "one in all" },
  chats: { kind: "count", per: "user", max: "MAX_CHATS" },
  projects: { kind: "count", per: "user", max: maxRows.projectsPerUser },
  chat_tags: { kind: "perParent", from: "chats", bound: "20" },
  chat_messages: { kind: "count", per: "chat", max: maxRows.messagesPerChat },
  chat_images: { kind: "perParent", from: "chat_messages", bound: "10" },
  chat_passages: { kind: "perParent", from: "chat_messages", bound: "one" },
  message_ratings: { kind: "perParent", from: "chat_messages", bound: "one, of 1,000 characters" },
  files: { kind: "count", per: "user", max: "MAX_FILES" },
  uploads: { kind: "count", per: "user", max: "MAX_UNFINISHED_UPLOADS" },
  file_texts: { kind: "perParent", from: "files", bound: "one, of MAX_TEXT_LENGTH" },
  passages: { kind: "perParent", from: "files", bound: "one for each piece of its text" },
  file_words: { kind: "perParent", from: "files", bound: "one" },
  vector_spaces: { kind: "adminOnly" },
  vector_batches: { kind: "perParent", from: "passages", bound: "one for many passages" },
  collections: { kind: "count", per: "user", max: "MAX_COLLECTIONS" },
  collection_files: {
    kind: "count",
    per: "user, and `filesPerCollection` in each collection",
    max: maxRows.collectionFilesPerUser,
  },
  collection_questions: {
    kind: "count",
    per: "collection",
    max: maxRows.questionsPerCollection,
  },
  question_runs: { kind: "perParent", from: "collections", bound: "20, and an unfinished one" },
  prompts: { kind: "count", per: "user", max: maxRows.promptsPerUser },
  personal_instructions: { kind: "perParent", from: "users", bound: "one, of 8,000 characters" },
  jobs: {
    kind: "perParent",
    from: "files",
    bound: "two; one for a collection, and one for an account being deleted",
  },
  job_owners: { kind: "perParent", from: "users", bound: "one for each kind of job" },
  functions: { kind: "adminOnly" },
  function_versions: { kind: "adminOnly" },
  function_runs: { kind: "perParent", from: "functions", bound: "50" },
  function_items: { kind: "perParent", from: "functions", bound: "1,000 of 64 KB" },
  identities: { kind: "adminOnly" },
  sign_on_sessions: { kind: "perParent", from: "sessions", bound: "one" },
  sign_on_members: { kind: "perParent", from: "group_members", bound: "one" },
  invitations: { kind: "adminOnly" },
  limits: {
    kind: "count",
    per: "user, and `delegatedLimitsPerGroup` for each group; others are set by administrators",
    max: maxRows.ownLimitsPerUser,
  },
  limit_accounts: {
    kind: "perParent",
    from: "limits",
    bound: "one for each period or bucket of the last two months",
  },
  limit_leases: { kind: "perParent", from: "limit_accounts", bound: "one for each process" },
  limit_processes: { kind: "perParent", from: "limit_leases", bound: "one, and one per process" },
  limit_warnings: { kind: "perParent", from: "limits", bound: "one" },
  webhooks: { kind: "perParent", from: "settings", bound: "one in all" },
  webhook_events: { kind: "perParent", from: "webhooks", bound: "`webhookEvents`, for a day" },
  stored_responses: { kind: "count", per: "user", max: maxRows.responsesPerUser },
  stored_response_items: {
    kind: "perParent",
    from: "stored_responses",
    bound: "`itemsPerResponse`, and 1 GB per user with all responses",
  },
  sign_on_spent: { kind: "retained", for: "the lifetime of a sign-in attempt" },
}
