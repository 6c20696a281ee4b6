import { z } from "zod"
import type { OidcProvider } from "../config/oidc-config.ts"
import { Email, Line, Name } from "../users/schema.ts"
import type { Answer } from "./provider.ts"
import { refuse } from "./refusal.ts"

/** A signed-in person, parsed from the provider's claims. */
export interface Person {
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
const Token = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^\P{Cc}*$/u)
const Subject = Token.max(255)
const maxGroups = 1000

const textOf = <T extends z.ZodType<string>>(schema: T, value: unknown): string | null => {
  const result = schema.safeParse(value)
  // Not every database can store a lone surrogate.
  return result.success && result.data.isWellFormed() ? result.data : null
}

/** The address and its verified flag must come from the same source. */
const emailOf = ({ claims, more }: Answer) => {
  const own = claims.email !== undefined
  const told = claims.email_verified !== undefined || more.email === undefined
  const { email, email_verified } = own && told ? claims : more
  // Some providers send a string instead of a boolean.
  const verified = email_verified === true || email_verified === "true"
  return { email: textOf(Email, email), verified }
}

/** Entra ID omits the claim if there are too many groups, and indicates so in `_claim_names`. */
const leftOpen = (claims: Record<string, unknown>, name: string): boolean => {
  const elsewhere = z.record(z.string(), z.unknown()).safeParse(claims._claim_names)
  return elsewhere.success && name in elsewhere.data
}

const groupsOf = ({ claims, more }: Answer, name: string | null): string[] | null => {
  if (name === null) return null
  const value = claims[name] ?? more[name]
  if (value === undefined) return leftOpen(claims, name) ? null : []
  const values = Array.isArray(value) ? value : [value]
  const names = values.map((one) => textOf(Line, one)).filter((one) => one !== null)
  return names.length > maxGroups ? null : names
}

/** @throws {Refusal} `invalid_answer` for an invalid issuer or subject */
export const personOf = (
  answer: Answer,
  { link_claim, groups_claim, trust_email }: OidcProvider,
): Person => {
  const { claims, more } = answer
  const { email, verified } = emailOf(answer)
  const read = (name: string): string | null => textOf(Name, claims[name] ?? more[name])
  const linked = link_claim && (claims[link_claim] ?? more[link_claim])
  return {
    issuer: textOf(z.string(), claims.iss) ?? refuse("invalid_answer"),
    subject: textOf(Subject, claims.sub) ?? refuse("invalid_answer"),
    sid: textOf(Token, claims.sid),
    email,
    verified: email !== null && (verified || trust_email),
    name: read("name"),
    given_name: read("given_name"),
    family_name: read("family_name"),
    external_id: textOf(Token, linked),
    groups: groupsOf(answer, groups_claim),
  }
}
