import { t } from "../../i18n/translate.ts"
import type { CurrentUser } from "../../lib/session.ts"

/** A short description of who has read access. */
export const describeReaders = (isPublic: boolean, grantCount: number): string => {
  if (isPublic) return t("grants.everyone")
  return grantCount === 0 ? t("label.private") : t("label.sharedWith", { count: grantCount })
}

/** Whether the user may share, delete and hand over the object. */
export const mayManage = (me: CurrentUser, { user_id }: { user_id: string }): boolean =>
  me.role === "admin" || user_id === me.id
