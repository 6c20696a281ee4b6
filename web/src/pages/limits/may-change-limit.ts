import type { Limit } from "../../../../server/src/limits/schema.ts"

interface Viewer {
  role: string
  /** The group that they manage, if they see the limit on its pages. */
  groupId: string | undefined
}

/** Whether a user may change or delete a limit, of a key of theirs if an owner has set it. */
export const mayChangeLimit = (
  { role, groupId }: Viewer,
  { set_by, group_id }: Pick<Limit, "set_by" | "group_id">,
): boolean =>
  role === "admin" || set_by === "owner" || (set_by === "manager" && group_id === groupId)
