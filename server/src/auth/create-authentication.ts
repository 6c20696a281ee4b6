import type { FailedAttemptRecorder } from "../audit/failed-attempt-recorder.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import { actorOf } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import { type AuthenticateDeps, createAuthenticate } from "./authenticate.ts"
import { createLastUseRecorder } from "./last-use-recorder.ts"

interface Deps extends Omit<AuthenticateDeps, "onAuthenticated" | "onRejected" | "publicOrigin"> {
  config: Pick<Config, "PUBLIC_URL">
  db: Database
  failures: FailedAttemptRecorder
}

/** Authenticates requests and records uses and failures. */
export const createAuthentication = ({ config, failures, ...deps }: Deps) => {
  const lastSeen = createLastUseRecorder(deps)
  const onRejected = (context: RequestContext): void => {
    const actor = actorOf(null, context)
    const failure = { actor, action: "auth.failed", target: undefined, status: 401 }
    void failures.recordInBackground(failure)
  }
  const authenticate = createAuthenticate({
    ...deps,
    onAuthenticated: lastSeen.recordUse,
    onRejected,
    publicOrigin: config.PUBLIC_URL,
  })
  return { authenticate, close: lastSeen.close }
}
