import { t } from "../../i18n/translate.ts"
import type { CollectionWithFiles } from "../../lib/knowledge-api.ts"
import type { CurrentUser } from "../../lib/session.ts"

/** A short description of who has read access. */
export const describeReaders = ({ access_grants, grant_count }: CollectionWithFiles): string => {
  if (access_grants.some(({ principal_id }) => principal_id === "*")) return t("grants.everyone")
  return grant_count === 0 ? t("knowledge.private") : t("knowledge.shared", { count: grant_count })
}

/** Whether the user may share and delete the collection. */
export const isOwner = (me: CurrentUser, { user_id }: CollectionWithFiles): boolean =>
  me.role === "admin" || user_id === me.id

/** Whether to offer editing. Group membership is unknown here; the gateway enforces access. */
export const mayChange = (me: CurrentUser, collection: CollectionWithFiles): boolean =>
  isOwner(me, collection) ||
  collection.access_grants.some(
    ({ permission, principal_type, principal_id }) =>
      permission === "write" &&
      (principal_type === "group" || principal_id === me.id || principal_id === "*"),
  )
