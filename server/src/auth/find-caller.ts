import { Failure } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { Authenticate } from "../http/router.ts"

/** Returns a function that finds a request's caller; null without valid credentials. */
export const createFindCaller =
  (authenticate: Authenticate) =>
  async (context: RequestContext): Promise<Caller | null> => {
    try {
      return await authenticate(context)
    } catch (error) {
      if (error instanceof Failure && error.status === 401) return null
      throw error
    }
  }
