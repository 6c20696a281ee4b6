import { z } from "zod"
import { withoutTrailingSlashes } from "../config/trailing-slashes.ts"
import { AccessGrants } from "../grants/schema.ts"

const BaseUrl = z
  .url({ protocol: /^https?$/, error: "must be an http(s) address" })
  .max(2000)
  .refine((url) => !/^[^/]*\/\/[^/]*@/.test(url), "may hold no password; use api_key or headers")
  .refine((url) => !/[?#]/.test(url), "may hold no query and no fragment")
  .transform(withoutTrailingSlashes)

/** They frame the message itself, and are the gateway's to write. */
const framing =
  /^(connection|content-length|content-type|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "is no header name")
  .refine((name) => !framing.test(name), "is the gateway's own to write")
const HeaderValue = z
  .string()
  .regex(/^[\t\x20-\x7e]*$/, "may hold printable ASCII only")
  .max(8000)
const Headers = z.record(HeaderName, HeaderValue)

/** Seconds; null means the gateway's own setting. */
const Timeout = z.number().positive().max(86_400).nullable()

const fields = {
  kind: z.enum(["ollama", "openai"]),
  name: z.string().trim().min(1, "must not be empty").max(100),
  base_url: BaseUrl,
  /** Sent to the upstream; never shown again. */
  api_key: z
    .string()
    .regex(/^[\x21-\x7e]*$/, "may hold no spaces or line breaks")
    .max(4000),
  headers: Headers,
  /** Put before each of its model ids: `prefix.name`. */
  id_prefix: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,50}$/, "letters, digits, . _ - only")
    .nullable(),
  /** Only these models, by the provider's own names; null offers all. */
  allowed_models: z.array(z.string().max(300)).max(2000).nullable(),
  connect_timeout: Timeout,
  first_byte_timeout: Timeout,
  idle_timeout: Timeout,
  /** Who may use its models; null is everyone. */
  access_grants: AccessGrants.nullable(),
  enabled: z.boolean(),
  /** Smaller comes first where several offer the same model. */
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

/** A connection with its secrets, as the gateway uses it. */
export interface ConnectionConfig extends NewConnection {
  id: string
  /** The environment's connections cannot be changed over the API. */
  source: "environment" | "database"
  created_at: number
  updated_at: number
}

export const Health = z
  .object({
    status: z.enum(["unknown", "healthy", "resting", "disabled"]),
    last_error: z.string().nullable(),
    last_ok_at: z.int().nullable(),
    models: z.int(),
    running: z.int(),
  })
  .meta({ id: "ConnectionHealth" })
export type Health = z.output<typeof Health>

export const Connection = z
  .object({
    ...fields,
    base_url: z.string(),
    /** Masked: its last four characters at the most. */
    api_key: z.string(),
    /** Values masked. */
    headers: z.record(z.string(), z.string()),
    id: z.string(),
    source: z.enum(["environment", "database"]),
    created_at: z.int(),
    updated_at: z.int(),
    health: Health,
  })
  .meta({ id: "Connection" })
export type Connection = z.output<typeof Connection>

export const TestResult = z
  .object({
    ok: z.boolean(),
    /** In words for a person. */
    message: z.string(),
    models: z.array(z.string()),
    duration_ms: z.int(),
  })
  .meta({ id: "ConnectionTest" })
export type TestResult = z.output<typeof TestResult>

const mask = (secret: string): string => {
  if (secret === "") return ""
  return secret.length > 12 ? `…${secret.slice(-4)}` : "…"
}

export const withoutSecrets = (config: ConnectionConfig, health: Health): Connection => ({
  ...config,
  api_key: mask(config.api_key),
  headers: Object.fromEntries(Object.entries(config.headers).map(([name, v]) => [name, mask(v)])),
  health,
})
