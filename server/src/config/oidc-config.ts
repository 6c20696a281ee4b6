import { z } from "zod"
import { Flag, splitAtSemicolons, type Variables } from "./config-values.ts"

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"])

/** Not normalized: OpenID Connect compares issuers exactly, including a trailing slash. */
const Issuer = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url?.protocol === "http:" && loopback.has(url.hostname)
  if (!url || !(url.protocol === "https:" || plain) || url.search || url.hash) {
    context.addIssue(`must be an https URL; http is allowed for loopback only (got "${text}")`)
  } else if (/\/(common|organizations|consumers)\/v2\.0\/?$/.test(url.pathname)) {
    context.addIssue(`must contain your tenant's id; "${text}" accepts every organization`)
  }
  return text
})

const claim = "must be the name of a claim, such as sub or oid"
const Claim = z.string().regex(/^\S+$/, claim).max(200, claim)

const Scopes = z
  .string()
  .transform((text) => text.split(/[\s;,]+/).filter(Boolean))
  .refine((scopes) => scopes.includes("openid"), "must include the scope openid")

const Domains = z
  .string()
  .transform((text) => splitAtSemicolons(text.toLowerCase().replaceAll(",", ";")).filter(Boolean))
  .refine((domains) => domains.every((domain) => /^[^\s@]+\.[^\s@]+$/.test(domain)), {
    error: "must be email domains such as example.com",
  })

const Provider = z.object({
  ISSUER: Issuer,
  CLIENT_ID: z.string(),
  CLIENT_SECRET: z.string().nullable().default(null),
  SCOPES: Scopes.default(["openid", "profile", "email"]),
  LABEL: z.string().max(60).optional(),
  /** Claim whose value equals the user's SCIM `externalId`. */
  LINK_CLAIM: Claim.nullable().default(null),
  /** Whether a verified email address links to the existing account with that address. */
  LINK_EMAIL: Flag.default(true),
  /** Claim with the email address, used instead of `email` if it has one. */
  EMAIL_CLAIM: Claim.nullable().default(null),
  /** Whether email addresses count as verified even without an `email_verified` claim. */
  TRUST_EMAIL: Flag.default(false),
  /** Domains of verified email addresses that may sign in; empty allows all. */
  ALLOWED_DOMAINS: Domains.default([]),
  /** Whether to create an account on the first sign-in. */
  PROVISION: Flag.optional(),
  GROUPS_CLAIM: Claim.nullable().default(null),
  /** What separates groups in a groups claim that is one text; null for `;` or `,`. */
  GROUPS_SEPARATOR: z
    .enum([";", ",", "space"], 'must be ";", "," or "space"')
    .nullable()
    .default(null),
})

type WithLowerCaseKeys<T> = { [Key in keyof T & string as Lowercase<Key>]: T[Key] }

/** The variables of a provider by their suffixes, in lower case. */
export interface OidcProvider extends WithLowerCaseKeys<z.output<typeof Provider>> {
  /** Lower case, as used in URLs. */
  name: string
  label: string
  provision: boolean
}

/** Suffixes allowed after `OIDC_<NAME>_`; `docs/configuration.md` has a row for each. */
export const oidcVariableSuffixes = Object.keys(Provider.def.shape)

const variableForm = /^OIDC_([A-Z0-9]+(?:_[A-Z0-9]+)*)$/

const parseVariable = (variable: string): { name: string; ending: string } | null => {
  const [, rest = ""] = variableForm.exec(variable) ?? []
  const ending = oidcVariableSuffixes.find((one) => rest.endsWith(`_${one}`))
  return ending ? { name: rest.slice(0, -ending.length - 1), ending } : null
}

const labelOf = (name: string): string =>
  name
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join(" ")

const lowerCaseKeys = <T extends object>(values: T): WithLowerCaseKeys<T> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key.toLowerCase(), value]),
  ) as WithLowerCaseKeys<T>

const toProvider = (
  name: string,
  values: z.output<typeof Provider>,
  provisioned: boolean,
): OidcProvider => ({
  ...lowerCaseKeys(values),
  name: name.toLowerCase().replaceAll("_", "-"),
  label: values.LABEL ?? labelOf(name),
  // With SCIM, accounts are created through SCIM only.
  provision: values.PROVISION ?? !provisioned,
})

/** Whether anyone can create an account with this issuer. */
const isOpenToAnyone = (issuer: string): boolean =>
  URL.canParse(issuer) && new URL(issuer).hostname === "accounts.google.com"

const duplicateNameErrors = (providers: readonly OidcProvider[]): string[] => {
  const names = providers.map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  return twice.map((name) => `OIDC_… defines two providers named ${name}; rename one of them`)
}

const groupByProvider = (env: Variables) => {
  const valuesByName = new Map<string, Record<string, string>>()
  const wrong: string[] = []
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith("OIDC_") || !value?.trim()) continue
    const found = parseVariable(variable)
    if (!found) {
      wrong.push(
        `${variable} is unknown; OIDC_<NAME>_ must be followed by ${oidcVariableSuffixes.join(", ")}`,
      )
      continue
    }
    const values = valuesByName.get(found.name) ?? {}
    valuesByName.set(found.name, { ...values, [found.ending]: value.trim() })
  }
  return { valuesByName, wrong }
}

/** Parses the single sign-on providers in the environment; `wrong` lists all invalid variables. */
export const readOidcProviders = (
  env: Variables,
): { providers: OidcProvider[]; wrong: string[] } => {
  const { valuesByName, wrong } = groupByProvider(env)
  const providers: OidcProvider[] = []
  for (const [name, values] of valuesByName) {
    const prefix = `OIDC_${name}_`
    const missing = ["ISSUER", "CLIENT_ID"].filter((ending) => !values[ending])
    wrong.push(...missing.map((ending) => `${prefix}${ending} is required for this provider`))
    const result = Provider.safeParse(values)
    const issues = (result.error?.issues ?? []).filter(({ path }) => values[String(path[0])])
    wrong.push(...issues.map(({ path, message }) => `${prefix}${String(path[0])} ${message}`))
    if (!result.success) continue
    const provider = toProvider(name, result.data, env.SCIM_ENABLED === "true")
    providers.push(provider)
    const unbounded = provider.provision && provider.allowed_domains.length === 0
    if (unbounded && isOpenToAnyone(provider.issuer)) {
      wrong.push(
        `${prefix}ALLOWED_DOMAINS is required unless ${prefix}PROVISION=false; otherwise anyone with a Google account can sign in`,
      )
    }
  }
  wrong.push(...duplicateNameErrors(providers))
  if (providers.length > 0 && !env.PUBLIC_URL?.trim()) {
    wrong.push("PUBLIC_URL is required with OIDC_…: providers redirect users to it")
  }
  return { providers, wrong }
}
