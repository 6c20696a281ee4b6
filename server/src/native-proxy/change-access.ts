import { fail } from "../errors.ts"
import { type Caller, isLimited } from "../http/caller.ts"
import type { ProviderKind } from "../providers/provider.ts"

/** @throws {Failure} `forbidden` unless the caller may change runtimes and providers */
export const requireChangeAccess = ({ user, credential }: Caller, kind: ProviderKind): void => {
  if (user.role !== "admin") {
    fail("forbidden", "Only administrators may change the runtime.")
  }
  // For Ollama, a limited key could create models under names it may use. For providers, an unknown
  // path may do anything that the gateway's credential allows, managing keys and accounts included.
  const isRestricted =
    kind === "ollama" ? credential.limits.allowed_models !== null : isLimited(credential)
  if (isRestricted) {
    fail("forbidden", "This API key is restricted and may not change runtimes or providers.")
  }
}
