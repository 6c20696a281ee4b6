import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { NativeApi } from "./operations.ts"

/** @throws {Failure} `forbidden` unless the caller may change runtimes and providers */
export const requireChangeAccess = ({ user, credential }: Caller, api: NativeApi): void => {
  if (user.role !== "admin") {
    fail("forbidden", "Only administrators may change the runtime.")
  }
  if (api.forbidsChanges(credential)) {
    fail("forbidden", "This API key is restricted and may not change runtimes or providers.")
  }
}
