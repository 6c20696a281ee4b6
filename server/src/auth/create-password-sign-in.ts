import type { Config } from "../config/config.ts"
import type { Groups } from "../groups/groups.ts"
import type { Secrets } from "../secrets/secrets.ts"
import { createAccounts } from "./accounts.ts"
import { createInvitations } from "./invitations.ts"
import { createSessionTokens } from "./session-tokens.ts"
import { createSetupCode } from "./setup-code.ts"
import { createSignInThrottle } from "./throttle.ts"

type BuiltHere = "throttle" | "setupCode" | "tokens" | "maxSignups" | "passwordSignIn"

type Deps = Omit<Parameters<typeof createAccounts>[0], BuiltHere> & {
  config: Config
  secrets: Secrets
  groups: Groups
}

/** Builds accounts that sign in with a password, invitations to create one, and the code that protects the first sign-up. */
export const createPasswordSignIn = ({ config, secrets, ...deps }: Deps) => {
  // If no identity provider is configured, passwords are the only way to sign in.
  const passwordSignIn = () =>
    config.signOn.length === 0 ? "on" : deps.settings.current().password_sign_in
  const tokens = createSessionTokens(secrets.signingKey)
  const throttle = createSignInThrottle()
  const setupCode = createSetupCode({ ...deps, config, secrets, throttle })
  const accounts = createAccounts({
    ...deps,
    throttle,
    setupCode,
    tokens,
    maxSignups: config.MAX_SIGNUPS,
    passwordSignIn,
  })
  const invitations = createInvitations({ ...deps, accounts, throttle, passwordSignIn })
  return { tokens, setupCode, accounts, invitations, passwordSignIn }
}
