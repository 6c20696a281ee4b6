import { z } from "zod"
import { stripTrailingSlashes } from "../config/strip-trailing-slashes.ts"
import { AccessGrants } from "../grants/schema.ts"
import { withMessage } from "../http/issue-messages.ts"
import { MessageReference } from "../http/message-reference.ts"
import { translatable } from "../i18n/message.ts"
import { providerKinds } from "../providers/registry.ts"

const BaseUrl = z
  .url({ protocol: /^https?$/, ...withMessage(translatable("address_scheme_invalid")) })
  .max(2000)
  .refine(
    (url) => !/^[^/]*\/\/[^/]*@/.test(url),
    withMessage(translatable("address_has_credentials")),
  )
  .refine((url) => !/[?#]/.test(url), withMessage(translatable("address_has_query")))
  .transform(stripTrailingSlashes)

/** These frame the message and are set by the gateway. */
const framingHeaders =
  /^(connection|content-length|content-type|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, withMessage(translatable("header_name_invalid")))
  .refine((name) => !framingHeaders.test(name), withMessage(translatable("header_reserved")))
const HeaderValue = z
  .string()
  .regex(/^[\t\x20-\x7e]*$/, withMessage(translatable("ascii_only")))
  .max(8000)
const Headers = z.record(HeaderName, HeaderValue)

/** In seconds; null uses the gateway's setting. */
const Timeout = z.number().positive().max(86_400).nullable()

const fields = {
  kind: z.enum(providerKinds),
  name: z
    .string()
    .trim()
    .min(1, withMessage(translatable("name_required")))
    .max(100),
  base_url: BaseUrl,
  /** Sent to the upstream; never returned by the API. */
  api_key: z
    .string()
    .regex(/^[\x21-\x7e]*$/, withMessage(translatable("api_key_characters_invalid")))
    .max(4000),
  headers: Headers,
  /** Prepended to each of its model ids: `prefix.name`. */
  id_prefix: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,50}$/, withMessage(translatable("model_prefix_invalid")))
    .nullable(),
  /** Limits the connection to these models, by the provider's own names; null offers all. */
  allowed_models: z.array(z.string().max(300)).max(2000).nullable(),
  connect_timeout: Timeout,
  first_byte_timeout: Timeout,
  idle_timeout: Timeout,
  /** Who may use its models; null means everyone. */
  access_grants: AccessGrants.nullable(),
  enabled: z.boolean(),
  /** If several connections offer the same model, the lowest position comes first. */
  position: z.int().min(0).max(10_000),
}

export const NewConnection = z
  .object({
    ...fields,
    api_key: fields.api_key.default(""),
    headers: fields.headers.default({}),
    id_prefix: fields.id_prefix.default(null),
    allowed_models: fields.allowed_models.default(null),
    connect_timeout: Timeout.default(null),
    first_byte_timeout: Timeout.default(null),
    idle_timeout: Timeout.default(null),
    access_grants: fields.access_grants.default(null),
    enabled: z.boolean().default(true),
    position: fields.position.default(100),
  })
  .meta({ id: "NewConnection" })
export type NewConnection = z.output<typeof NewConnection>

export const ConnectionChanges = z
  .object(fields)
  .omit({ kind: true })
  .partial()
  .meta({ id: "ConnectionChanges" })
export type ConnectionChanges = z.output<typeof ConnectionChanges>

/** A connection including its secrets, for internal use. */
export interface ConnectionConfig extends NewConnection {
  id: string
  /** Connections from the environment cannot be changed through the API. */
  source: "environment" | "database"
  created_at: number
  updated_at: number
}

export const ConnectionHealth = z
  .object({
    status: z.enum(["unknown", "healthy", "resting", "disabled"]),
    /** A message for people. */
    last_error: z.string().nullable(),
    last_error_reference: MessageReference.nullable(),
    /** The provider's response or the network error, if it says more than `last_error`. */
    last_error_details: z.string().nullable(),
    last_ok_at: z.int().nullable(),
    models: z.int(),
    running: z.int(),
  })
  .meta({ id: "ConnectionHealth" })
export type ConnectionHealth = z.output<typeof ConnectionHealth>

export const ConnectionView = z
  .object({
    ...fields,
    base_url: z.string(),
    /** Masked: at most the last four characters are shown. */
    api_key: z.string(),
    /** Values are masked. */
    headers: z.record(z.string(), z.string()),
    id: z.string(),
    source: z.enum(["environment", "database"]),
    created_at: z.int(),
    updated_at: z.int(),
    health: ConnectionHealth,
  })
  .meta({ id: "Connection" })
export type ConnectionView = z.output<typeof ConnectionView>

export const ConnectionTestResult = z
  .object({
    ok: z.boolean(),
    /** A message for people. */
    message: z.string(),
    message_reference: MessageReference,
    /** The provider's response or the network error, if it says more than the message. */
    details: z.string().nullable(),
    models: z.array(z.string()),
    duration_ms: z.int(),
  })
  .meta({ id: "ConnectionTest" })
export type ConnectionTestResult = z.output<typeof ConnectionTestResult>

/** A kind of provider. */
export const ProviderInfo = z
  .object({
    kind: fields.kind,
    label: z.string(),
    label_reference: MessageReference,
    default_url: z.string(),
    /** Addresses to choose from. */
    presets: z.array(z.object({ name: z.string(), base_url: z.string(), is_local: z.boolean() })),
    /** The environment variable that configures connections of this kind. */
    variable: z.string(),
  })
  .meta({ id: "ProviderInfo" })
export type ProviderInfo = z.output<typeof ProviderInfo>

const mask = (secret: string): string => {
  if (secret === "") return ""
  return secret.length > 12 ? `…${secret.slice(-4)}` : "…"
}

export const maskSecrets = (
  config: ConnectionConfig,
  health: ConnectionHealth,
): ConnectionView => ({
  ...config,
  api_key: mask(config.api_key),
  headers: Object.fromEntries(Object.entries(config.headers).map(([name, v]) => [name, mask(v)])),
  health,
})
