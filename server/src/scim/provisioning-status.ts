import type { AuditReader } from "../audit/reader.ts"
import type { AuditEvent } from "../audit/schema.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import { countRows } from "../db/paged-queries.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { Router } from "../http/router.ts"
import { minTokenLength, scimTokenId } from "./authentication.ts"
import type { FindBaseUrl } from "./base-url.ts"
import { provisioningRoutes } from "./provisioning-routes.ts"
import type { Provisioning, ProvisioningProblem } from "./provisioning-schema.ts"

const maxErrors = 10

export const findProvisioningProblems = ({
  SCIM_ENABLED,
  SCIM_TOKEN,
  PUBLIC_URL,
}: Config): ProvisioningProblem[] => {
  if (!SCIM_ENABLED) return SCIM_TOKEN === undefined ? [] : ["not_enabled"]
  const found: ProvisioningProblem[] = []
  if ((SCIM_TOKEN ?? "").length < minTokenLength) found.push("short_token")
  if (PUBLIC_URL === undefined) found.push("no_public_url")
  else if (!PUBLIC_URL.startsWith("https:")) found.push("no_https")
  return found
}

const stateOf = ({ SCIM_ENABLED, SCIM_TOKEN }: Config): Provisioning["state"] => {
  if (SCIM_ENABLED) return "on"
  return SCIM_TOKEN === undefined ? "off" : "misconfigured"
}

interface Deps {
  config: Config
  db: Database
  reader: AuditReader
  baseUrlOf: FindBaseUrl
}

/** Provisioning status for administrators; contains no tokens. */
const createProvisioningReader = ({ config, db, reader, baseUrlOf }: Deps) => {
  const users = db.read.selectFrom("users").where("source", "=", "scim")
  const groups = db.read.selectFrom("groups").where("source", "=", "scim")

  const tokens = async (): Promise<Provisioning["tokens"]> => {
    const secrets = [config.SCIM_TOKEN, config.SCIM_TOKEN_PREVIOUS]
    const known = secrets.flatMap((secret, index) =>
      secret === undefined ? [] : [{ id: scimTokenId(secret), previous: index === 1 }],
    )
    return Promise.all(
      known.map(async (token) => ({ ...token, last_used_at: await reader.lastScimUse(token.id) })),
    )
  }

  /** Errors of authenticated and of unauthenticated requests. */
  const recentErrors = async (): Promise<AuditEvent[]> => {
    const failed = { outcome: "failure", page_size: maxErrors } as const
    const authenticatedErrors = await reader.page({ ...failed, actor: "scim" })
    const unauthenticatedErrors = await reader.page({ ...failed, target: "scim" })
    return [...authenticatedErrors.items, ...unauthenticatedErrors.items]
      .toSorted((left, right) => right.at - left.at)
      .slice(0, maxErrors)
  }

  return async (context: RequestContext): Promise<Provisioning> => {
    const [last_contact = null] = (await reader.page({ actor: "scim", page_size: 1 })).items
    return {
      state: stateOf(config),
      problems: findProvisioningProblems(config),
      base_url: baseUrlOf(context),
      tokens: await tokens(),
      delete_mode: config.SCIM_DELETE_MODE,
      allowed_cidrs: config.SCIM_ALLOWED_CIDRS,
      rate_limit: config.SCIM_RATE_LIMIT,
      last_contact,
      users: await countRows(users),
      active_users: await countRows(users.where("active", "=", 1)),
      groups: await countRows(groups),
      errors: await recentErrors(),
    }
  }
}

export const createProvisioningRouter = (router: Router, deps: Deps): Router => {
  const provisioning = createProvisioningReader(deps)
  router.on(provisioningRoutes.status, ({ context }) => provisioning(context))
  return router
}
