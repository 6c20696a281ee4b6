import { z } from "zod"
import type { OidcProvider } from "../config/oidc-config.ts"
import { DisplayName, EmailAddress, SingleLineText } from "../users/schema.ts"
import type { ProviderResponse } from "./provider.ts"
import { refuseSignOn } from "./refusal.ts"

/** A signed-in person, parsed from the provider's claims. */
export interface SignOnIdentity {
  issuer: string
  subject: string
  sid: string | null
  email: string | null
  verified: boolean
  name: string | null
  given_name: string | null
  family_name: string | null
  /** The value of the claim that equals SCIM's `externalId`. */
  external_id: string | null
  /** Names of groups; null if the provider did not list them. */
  groups: string[] | null
}

/** Stored verbatim: values that differ in a single character identify different people. */
const OpaqueText = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^\P{Cc}*$/u)
const Subject = OpaqueText.max(255)
const maxGroups = 1000

const parseText = <T extends z.ZodType<string>>(schema: T, value: unknown): string | null => {
  const result = schema.safeParse(value)
  // Not every database can store a lone surrogate.
  return result.success && result.data.isWellFormed() ? result.data : null
}

/** The address and its verified flag must come from the same source. */
const parseEmail = ({ claims, userInfo }: ProviderResponse) => {
  const hasEmail = claims.email !== undefined
  const isVerificationKnown = claims.email_verified !== undefined || userInfo.email === undefined
  const { email, email_verified } = hasEmail && isVerificationKnown ? claims : userInfo
  // Some providers send a string instead of a boolean.
  const verified = email_verified === true || email_verified === "true"
  return { email: parseText(EmailAddress, email), verified }
}

/** Entra ID omits the claim if there are too many groups, and indicates so in `_claim_names`. */
const isOmitted = (claims: Record<string, unknown>, name: string): boolean => {
  const elsewhere = z.record(z.string(), z.unknown()).safeParse(claims._claim_names)
  return elsewhere.success && name in elsewhere.data
}

const parseGroups = (
  { claims, userInfo }: ProviderResponse,
  name: string | null,
): string[] | null => {
  if (name === null) return null
  const value = claims[name] ?? userInfo[name]
  if (value === undefined) return isOmitted(claims, name) ? null : []
  const values = Array.isArray(value) ? value : [value]
  const names = values.map((one) => parseText(SingleLineText, one)).filter((one) => one !== null)
  return names.length > maxGroups ? null : names
}

/** @throws {Refusal} `invalid_answer` for an invalid issuer or subject */
export const parseSignOnIdentity = (
  answer: ProviderResponse,
  { link_claim, groups_claim, trust_email }: OidcProvider,
): SignOnIdentity => {
  const { claims, userInfo } = answer
  const { email, verified } = parseEmail(answer)
  const read = (name: string): string | null =>
    parseText(DisplayName, claims[name] ?? userInfo[name])
  const linked = link_claim && (claims[link_claim] ?? userInfo[link_claim])
  return {
    issuer: parseText(z.string(), claims.iss) ?? refuseSignOn("invalid_answer"),
    subject: parseText(Subject, claims.sub) ?? refuseSignOn("invalid_answer"),
    sid: parseText(OpaqueText, claims.sid),
    email,
    verified: email !== null && (verified || trust_email),
    name: read("name"),
    given_name: read("given_name"),
    family_name: read("family_name"),
    external_id: parseText(OpaqueText, linked),
    groups: parseGroups(answer, groups_claim),
  }
}
