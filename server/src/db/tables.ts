import type { Generated } from "kysely"
import type { AuditTables } from "./audit-tables.ts"
import type { SqlBoolean } from "./column-types.ts"
import type { ConversationTables } from "./conversation-tables.ts"
import type { FileTables } from "./file-tables.ts"
import type { FunctionTables } from "./function-tables.ts"
import type { InvitationTables } from "./invitation-tables.ts"
import type { LimitTables } from "./limit-tables.ts"
import type { PromptTables } from "./prompt-tables.ts"
import type { QuestionTables } from "./question-tables.ts"
import type { ResponseTables } from "./response-tables.ts"
import type { SignOnTables } from "./sign-on-tables.ts"
import type { UsageSumTables } from "./usage-sum-tables.ts"
import type { WebhookTables } from "./webhook-tables.ts"

export interface UserRow {
  id: string
  email: string
  /** `email` with its case folded in JavaScript; unique. */
  email_key: string
  name: string
  name_key: string
  given_name: string | null
  given_name_key: string | null
  family_name: string | null
  family_name_key: string | null
  display_name: string | null
  display_name_key: string | null
  nick_name: string | null
  nick_name_key: string | null
  external_id: string | null
  role: string
  active: SqlBoolean
  /** Origin of the account: `local`, `scim` or `oidc`. */
  source: string
  password_hash: string | null
  /** Epoch milliseconds, as SCIM reports them; so is `updated_ms`. */
  created_ms: number
  updated_ms: number
  last_active_at: number | null
  /** Set while the account is deleted through SCIM. */
  deleted_at: number | null
  /**
   * 1 once SCIM's DELETE also released the e-mail address; the id is then appended to `email_key`.
   */
  hidden: SqlBoolean
  /** 1 from SCIM's DELETE until an administrator releases the account; see `fixed_external_id`. */
  external_id_fixed: Generated<SqlBoolean>
  /** The only externalId that the account may have while it is fixed; null if it has had none. */
  fixed_external_id: string | null
}

export interface UserEmailRow {
  user_id: string
  position: number
  value: string
  value_key: string
  type: string | null
  type_key: string | null
  display: string | null
  display_key: string | null
  is_primary: SqlBoolean
}

export interface GroupRow {
  id: string
  name: string
  name_key: string
  description: string
  external_id: string | null
  source: string
  /** Whether the group pays for requests of its members. */
  pays: Generated<SqlBoolean>
  /** Epoch milliseconds. */
  created_ms: number
  updated_ms: number
}

export interface GroupMemberRow {
  group_id: string
  user_id: string
  /** `member` or `manager`. */
  role: Generated<string>
}

export interface ApiKeyRow {
  id: string
  /** Null for the service key of a group. */
  user_id: string | null
  /** Null for the key of a user. */
  group_id: string | null
  name: string
  /** SHA-256 of the secret in hex; unique. */
  hash: string
  /** The secret's last four characters, to tell keys apart. */
  hint: string
  allowed_models: string | null
  allowed_routes: string | null
  expires_at: number | null
  last_used_at: number | null
  created_at: number
}

export interface SessionRow {
  id: string
  user_id: string
  address: string | null
  user_agent: string | null
  created_at: number
  expires_at: number
  last_used_at: number | null
}

export interface AccessGrantRow {
  resource_type: string
  resource_id: string
  principal_type: string
  principal_id: string
  permission: string
}

export interface ConnectionRow {
  id: string
  kind: string
  name: string
  base_url: string
  /** Sealed with SECRET_KEY. */
  sealed_key: string | null
  /** Sealed JSON object. */
  sealed_headers: string | null
  id_prefix: string | null
  allowed_models: string | null
  connect_timeout: number | null
  first_byte_timeout: number | null
  idle_timeout: number | null
  restricted: SqlBoolean
  enabled: SqlBoolean
  position: number
  created_at: number
  updated_at: number
}

export interface ConnectionModelsRow {
  connection_id: string
  models: string
  fetched_at: number
}

export interface ModelRow {
  id: string
  user_id: string
  name: string
  base_model_id: string
  /** What lists show: the `meta` of a `ModelSummary`. */
  meta: string
  is_active: SqlBoolean
  created_at: number
  updated_at: number
}

/** Model data that lists do not show and that may be large. */
export interface ModelContentsRow {
  model_id: string
  meta: string
  params: string
}

export interface PriceRow {
  model: string
  /** Empty for all providers; so is `connection_id` for all connections. */
  provider: string
  connection_id: string
  /** When the entry begins, in epoch seconds. */
  valid_from: number
  /** The entry without these, as JSON. */
  entry: string
  updated_at: number
}

export interface SettingRow {
  name: string
  value: string
  updated_at: number
}

export interface ClockStateRow {
  id: string
  /** When the gateway last ran, in epoch milliseconds. */
  seen_at: number
  /** How long it still has to run before it trusts the clock. */
  doubt_ms: number
}

export interface UsageRow {
  id: string
  at: number
  /** Empty if a service key was used, which belongs to no user. */
  user_id: string
  key_id: string | null
  /** The group that pays; this and what follows is null in records of earlier versions. */
  group_id: string | null
  operation: string
  model: string
  connection_id: string | null
  /** The connection's own name of the model that answered; null if a function did. */
  upstream_model: string | null
  /** As requested; null for the provider's default. */
  service_tier: string | null
  /** How many times the request was sent to a connection. */
  attempts: number | null
  streamed: SqlBoolean
  tokens_in: number
  tokens_out: number
  /** The kinds are parts of the two sums: see `TokenCounts`. */
  tokens_cache_read: number | null
  tokens_cache_write: number | null
  tokens_cache_write_1h: number | null
  tokens_reasoning: number | null
  tokens_audio_in: number | null
  tokens_audio_out: number | null
  tokens_image_in: number | null
  tokens_image_out: number | null
  /** In nano-dollars; null if no price was known. */
  cost: number | null
  /** Whether the request exceeded what was reserved for it; null if nothing was. */
  overrun: SqlBoolean | null
  estimated: SqlBoolean
  time_to_first_token_ms: number | null
  duration_ms: number
  outcome: string
  status: number
  request_id: string
}

export interface Tables
  extends AuditTables,
    ConversationTables,
    FileTables,
    FunctionTables,
    InvitationTables,
    LimitTables,
    PromptTables,
    QuestionTables,
    ResponseTables,
    SignOnTables,
    UsageSumTables,
    WebhookTables {
  users: UserRow
  user_emails: UserEmailRow
  groups: GroupRow
  group_members: GroupMemberRow
  api_keys: ApiKeyRow
  sessions: SessionRow
  access_grants: AccessGrantRow
  connections: ConnectionRow
  connection_models: ConnectionModelsRow
  models: ModelRow
  model_contents: ModelContentsRow
  prices: PriceRow
  settings: SettingRow
  clock_state: ClockStateRow
  usage: UsageRow
}
