import { z } from "zod"
import type { OidcProvider } from "../config/oidc-config.ts"
import { DisplayName, EmailAddress, SingleLineText } from "../users/schema.ts"
import { readGroupNames } from "./groups-claim.ts"
import type { ProviderResponse } from "./provider-client.ts"
import { readClaim } from "./read-claim.ts"
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
  /** Why `groups` is null although there is a groups claim: its shape, without its content. */
  unreadable_groups: string | null
}

/** Stored verbatim: values that differ in a single character identify different people. */
const OpaqueText = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^\P{Cc}*$/u)
const Subject = OpaqueText.max(255)

const parseText = <T extends z.ZodType<string>>(schema: T, value: unknown): string | null => {
  const result = schema.safeParse(value)
  // Not every database can store a lone surrogate.
  return result.success && result.data.isWellFormed() ? result.data : null
}

/** Some providers send a string instead of a boolean. */
const isTrue = (value: unknown): boolean =>
  value === true || (typeof value === "string" && value.toLowerCase() === "true")

const findClaim = ({ claims, userInfo }: ProviderResponse, name: string): unknown =>
  readClaim(claims, name) ?? readClaim(userInfo, name)

const Address = z.string().trim().pipe(EmailAddress)
/** An entry of a list of addresses, as in SCIM. */
const AddressEntry = z.object({ value: z.string(), primary: z.boolean().optional() })

const addressOf = (value: unknown): string | null =>
  parseText(Address, AddressEntry.safeParse(value).data?.value ?? value)

/** The address in a claim: the primary one of a list, else its first. */
const parseAddress = (claim: unknown): string | null => {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim]
  const primary = values.find((value) => AddressEntry.safeParse(value).data?.primary)
  return addressOf(primary) ?? values.map(addressOf).find((address) => address !== null) ?? null
}

/** No provider says whether an address in another claim than `email` is verified. */
const parseOtherEmail = (answer: ProviderResponse, name: string | null): string | null =>
  name === null || name === "email" ? null : parseAddress(findClaim(answer, name))

/** The address and its verified flag must come from the same source. */
const parseStandardEmail = ({ claims, userInfo }: ProviderResponse) => {
  const hasEmail = claims.email !== undefined
  const isVerificationKnown = claims.email_verified !== undefined || userInfo.email === undefined
  const { email, email_verified } = hasEmail && isVerificationKnown ? claims : userInfo
  const verified = isTrue(email_verified)
  return { email: parseAddress(email), verified }
}

const parseEmail = (answer: ProviderResponse, name: string | null) => {
  const email = parseOtherEmail(answer, name)
  return email === null ? parseStandardEmail(answer) : { email, verified: false }
}

/**
 * Entra ID omits the claim if there are too many groups, and indicates so in `_claim_names`, or in
 * `hasgroups` if the token must fit into a URL.
 */
const isOmitted = (claims: Record<string, unknown>, name: string): boolean => {
  const elsewhere = z.record(z.string(), z.unknown()).safeParse(claims._claim_names)
  const hasOthers = name === "groups" && isTrue(claims.hasgroups)
  return hasOthers || (elsewhere.success && Object.hasOwn(elsewhere.data, name))
}

const parseGroups = (
  answer: ProviderResponse,
  { groups_claim: name, groups_separator }: OidcProvider,
): Pick<SignOnIdentity, "groups" | "unreadable_groups"> => {
  if (name === null) return { groups: null, unreadable_groups: null }
  const value = findClaim(answer, name)
  if (value === undefined) {
    return isOmitted(answer.claims, name) || isOmitted(answer.userInfo, name)
      ? { groups: null, unreadable_groups: "omitted by the provider" }
      : { groups: [], unreadable_groups: null }
  }
  const names = readGroupNames(value, groups_separator)
  if (!Array.isArray(names)) return { groups: null, unreadable_groups: names.shape }
  const groups = names.map((one) => parseText(SingleLineText, one)).filter((one) => one !== null)
  return { groups, unreadable_groups: null }
}

/** @throws {Refusal} `invalid_answer` for an invalid issuer or subject */
export const parseSignOnIdentity = (
  answer: ProviderResponse,
  provider: OidcProvider,
): SignOnIdentity => {
  const { link_claim, email_claim, trust_email } = provider
  const { claims } = answer
  const { email, verified } = parseEmail(answer, email_claim)
  const read = (name: string): string | null => parseText(DisplayName, findClaim(answer, name))
  const linked = link_claim && findClaim(answer, link_claim)
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
    ...parseGroups(answer, provider),
  }
}
