import type { Logger } from "pino"
import type { FailedAttemptRecorder } from "../audit/failed-attempt-recorder.ts"
import type { AuthStore } from "../auth/store.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { GroupStore } from "../groups/store.ts"
import { createProvisionedUsers } from "../users/provisioned-users.ts"
import type { UserStore } from "../users/store.ts"
import type { UserWriter } from "../users/user-writer.ts"
import { createScimAudit, type ScimAuditDeps } from "./audit.ts"
import { createScimAuthenticator, minTokenLength } from "./authentication.ts"
import { createBaseUrlResolver } from "./base-url.ts"
import { createGroupView } from "./group-view.ts"
import { createScimGroups, type ScimGroupsDeps } from "./groups.ts"
import type { ProvisioningProblem } from "./provisioning-schema.ts"
import { findProvisioningProblems } from "./provisioning-status.ts"
import type { ScimResource } from "./resource.ts"
import { createUserView } from "./user-view.ts"
import { createScimUsers } from "./users.ts"

interface Deps extends Omit<ScimGroupsDeps, "view">, ScimAuditDeps {
  config: Config
  bus: Bus
  failures: FailedAttemptRecorder
  users: UserWriter
  userStore: UserStore
  groupStore: GroupStore
  authStore: AuthStore
  log: Logger
}

/** Logged on startup, in addition to being shown to administrators. */
const warningByProblem: Partial<Record<ProvisioningProblem, string>> = {
  short_token: `SCIM_TOKEN is shorter than ${minTokenLength} characters. Generate one with: openssl rand -base64 32`,
  no_https: "SCIM is enabled but PUBLIC_URL does not use https: the SCIM token can be intercepted",
}

const logConfigWarnings = (config: Config, log: Logger): void => {
  for (const problem of findProvisioningProblems(config)) {
    const warning = warningByProblem[problem]
    if (warning) log.warn(warning)
  }
}

/** SCIM 2.0 (RFC 7643, 7644): users and groups for the organization's identity provider. */
export const createScim = (deps: Deps) => {
  const { config, db, failures, userStore, groupStore, authStore, log } = deps
  logConfigWarnings(config, log)
  const userView = createUserView(db, config.SCIM_DELETE_MODE)
  const groupView = createGroupView(db)
  const provisionedUsers = createProvisionedUsers({
    ...deps,
    store: userStore,
    removeKeys: authStore.removeKeys,
    leaveGroups: groupStore.leaveGroups,
    deleteMode: config.SCIM_DELETE_MODE,
  })
  const resources: ScimResource[] = [
    {
      view: userView,
      operations: createScimUsers({ db, users: provisionedUsers, view: userView }),
    },
    { view: groupView, operations: createScimGroups({ ...deps, view: groupView }) },
  ]
  return {
    admit: createScimAuthenticator(config, failures),
    resources,
    audit: createScimAudit(deps),
    baseUrlOf: createBaseUrlResolver(config.PUBLIC_URL),
  }
}
