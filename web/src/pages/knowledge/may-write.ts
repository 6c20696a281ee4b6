import type { CollectionWithFiles } from "../../lib/knowledge-api.ts"
import type { CurrentUser } from "../../lib/session.ts"
import { mayManage } from "../grants/access.ts"

/** Whether to offer editing. Group membership is unknown here; the gateway enforces access. */
export const mayWrite = (me: CurrentUser, collection: CollectionWithFiles): boolean =>
  mayManage(me, collection) ||
  collection.access_grants.some(
    ({ permission, principal_type, principal_id }) =>
      permission === "write" &&
      (principal_type === "group" || principal_id === me.id || principal_id === "*"),
  )
