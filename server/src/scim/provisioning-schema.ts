import { z } from "zod"
import { AuditEvent } from "../audit/schema.ts"

export const ProvisioningProblem = z.enum([
  "not_enabled",
  "short_token",
  "no_public_url",
  "no_https",
])
export type ProvisioningProblem = z.output<typeof ProvisioningProblem>

const Token = z.object({
  /** The first 12 hex digits of its SHA-256, as in the audit log. */
  id: z.string(),
  /** True for `SCIM_TOKEN_PREVIOUS`, which is accepted during rotation. */
  previous: z.boolean(),
  /** Time of the latest request with this token; null if there is none. */
  last_used_at: z.int().nullable(),
})

export const Provisioning = z
  .object({
    /** `misconfigured`: a token is set, but `SCIM_ENABLED` is not `true`. */
    state: z.enum(["on", "off", "misconfigured"]),
    problems: z.array(ProvisioningProblem),
    /** Base URL to enter at the identity provider. */
    base_url: z.string(),
    tokens: z.array(Token),
    delete_mode: z.enum(["deactivate", "hide"]),
    allowed_cidrs: z.array(z.string()),
    /** Requests per minute; null if unlimited. */
    rate_limit: z.object({ writes: z.int(), reads: z.int() }).nullable(),
    last_contact: AuditEvent.nullable(),
    /** Users provisioned by the identity provider. */
    users: z.int(),
    active_users: z.int(),
    groups: z.int(),
    /** Rejected and failed requests, latest first. */
    errors: z.array(AuditEvent),
  })
  .meta({ id: "Provisioning" })
export type Provisioning = z.output<typeof Provisioning>
