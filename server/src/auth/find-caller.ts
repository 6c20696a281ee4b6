import { Failure } from "../errors.ts"
import { type Caller, isServiceKey } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { Authenticate } from "../http/router.ts"

/**
 * Returns a function that finds the user who sent a request; null without valid credentials, and for
 * a service key, which is no user's.
 */
export const createFindCaller =
  (authenticate: Authenticate) =>
  async (context: RequestContext): Promise<Caller | null> => {
    try {
      const caller = await authenticate(context)
      return isServiceKey(caller) ? null : caller
    } catch (error) {
      if (error instanceof Failure && error.status === 401) return null
      throw error
    }
  }
