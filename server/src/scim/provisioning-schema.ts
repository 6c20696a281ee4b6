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
  /** The start of its SHA-256, as the audit trail names it. */
  id: z.string(),
  /** `SCIM_TOKEN_PREVIOUS`, while it is being changed. */
  previous: z.boolean(),
  /** Among the provider's latest requests; null for none of them. */
  last_used_at: z.int().nullable(),
})

export const Provisioning = z
  .object({
    /** `misconfigured`: there is a token, and `SCIM_ENABLED` is not `true`. */
    state: z.enum(["on", "off", "misconfigured"]),
    problems: z.array(ProvisioningProblem),
    /** To paste into the provider. */
    base_url: z.string(),
    tokens: z.array(Token),
    delete_mode: z.enum(["deactivate", "hide"]),
    allowed_cidrs: z.array(z.string()),
    /** A minute; null for no limit. */
    rate_limit: z.object({ writes: z.int(), reads: z.int() }).nullable(),
    last_contact: AuditEvent.nullable(),
    /** That the provider keeps. */
    users: z.int(),
    active_users: z.int(),
    groups: z.int(),
    /** What was refused or failed, the latest first. */
    errors: z.array(AuditEvent),
  })
  .meta({ id: "Provisioning" })
export type Provisioning = z.output<typeof Provisioning>
