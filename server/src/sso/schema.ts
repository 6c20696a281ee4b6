import { z } from "zod"
import { MessageReference } from "../http/message-reference.ts"

/** Why a sign-in was rejected; the page has a text for each, with advice. */
export const SignOnProblem = z.enum([
  "unknown_provider",
  "provider_unreachable",
  "provider_refused",
  "client_refused",
  "invalid_answer",
  "expired",
  "deactivated",
  "no_account",
  "no_administrator",
  "email_missing",
  "email_unverified",
  "domain_not_allowed",
  "link_needed",
  "already_linked",
  "ambiguous",
  "session_changed",
  "unavailable",
])
export type SignOnProblem = z.output<typeof SignOnProblem>

export const ProviderName = z.object({ provider: z.string().min(1).max(200) })

export const StartQuery = z.object({
  /** The page to go to afterwards. */
  back: z.string().max(2000).optional(),
  /** Set by the gateway after redirecting from another host name. */
  moved: z.string().max(10).optional(),
})

const ProviderTestCheck = z.object({
  id: z.enum(["discovery", "keys", "endpoints", "client"]),
  ok: z.boolean(),
  message: z.string(),
  message_reference: MessageReference,
})

export const ProviderTest = z
  .object({
    ok: z.boolean(),
    checks: z.array(ProviderTestCheck),
    duration_ms: z.int(),
  })
  .meta({ id: "SignOnProviderTest" })
export type ProviderTest = z.output<typeof ProviderTest>
export type ProviderCheck = z.output<typeof ProviderTestCheck>

/** A provider as shown to administrators; everything comes from environment variables. */
export const SignOnProvider = z
  .object({
    name: z.string(),
    label: z.string(),
    /** Prefix of its environment variables: `OIDC_OKTA_`. */
    variables: z.string(),
    issuer: z.string(),
    client_id: z.string(),
    has_secret: z.boolean(),
    scopes: z.array(z.string()),
    link_claim: z.string().nullable(),
    link_email: z.boolean(),
    trust_email: z.boolean(),
    allowed_domains: z.array(z.string()),
    provision: z.boolean(),
    email_claim: z.string().nullable(),
    groups_claim: z.string().nullable(),
    groups_separator: z.string().nullable(),
    /** URLs to register at the provider. */
    redirect_uri: z.string(),
    post_logout_redirect_uri: z.string(),
    backchannel_logout_uri: z.string(),
    /** Number of accounts linked to it. */
    accounts: z.int(),
    last_used_at: z.int().nullable(),
  })
  .meta({ id: "SignOnProvider" })
export type SignOnProvider = z.output<typeof SignOnProvider>

/** A provider's identity linked to an account. */
export const Identity = z
  .object({
    id: z.string(),
    /** The provider's name, and its label if it is still configured. */
    provider: z.string(),
    label: z.string(),
    issuer: z.string(),
    subject: z.string(),
    email: z.string().nullable(),
    created_at: z.int(),
    last_used_at: z.int().nullable(),
  })
  .meta({ id: "Identity" })
export type Identity = z.output<typeof Identity>

export const Identities = z
  .object({
    items: z.array(Identity),
    /** Whether the user can sign in with a password after unlinking. */
    has_password: z.boolean(),
  })
  .meta({ id: "Identities" })
export type Identities = z.output<typeof Identities>

export const RedirectTarget = z
  .object({
    /** The provider's page to continue at; null if there is none. */
    redirect: z.string().nullable(),
  })
  .meta({ id: "Elsewhere" })
export type RedirectTarget = z.output<typeof RedirectTarget>

export const UserIdentityParams = z.object({
  id: z.string().max(200),
  identity: z.string().max(200),
})
