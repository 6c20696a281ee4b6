import { fail } from "../errors.ts"
import { type Caller, isServiceKey } from "../http/caller.ts"

/**
 * Service keys may only call models: they read no files or collections, other than those attached to
 * a model.
 * @throws {Failure} `forbidden`
 */
export const rejectServiceKeys = (caller: Caller, param?: string): void => {
  if (!isServiceKey(caller)) return
  const message =
    "Requests with a service key cannot refer to files or collections. Attach them to a model, and call that model."
  fail("forbidden", message, param === undefined ? {} : { param })
}
