import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import { t } from "../../i18n/translate.ts"
import type { CollectionWithFiles } from "../../lib/library-api.ts"
import type { Me } from "../../lib/session.ts"

/** Who may read it, in a word or two. */
export const readersOf = (grants: readonly AccessGrant[]): string => {
  if (grants.some(({ principal_id }) => principal_id === "*")) return t("grants.everyone")
  return grants.length === 0
    ? t("knowledge.private")
    : t("knowledge.shared", { count: grants.length })
}

/** Whether the page offers to change it; the gateway decides, groups included. */
export const mayChange = (me: Me, { user_id, access_grants }: CollectionWithFiles): boolean =>
  me.role === "admin" ||
  user_id === me.id ||
  access_grants.some(
    ({ permission, principal_type, principal_id }) =>
      permission === "write" &&
      (principal_type === "group" || principal_id === me.id || principal_id === "*"),
  )
