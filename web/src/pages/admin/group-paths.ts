/** Where a group's pages are: in the administration, or in the account of its managers. */
export type GroupArea = "admin" | "account"

export const groupPaths = {
  admin: { group: "/admin/groups/$groupId", newKey: "/admin/groups/$groupId/keys/new" },
  account: { group: "/account/groups/$groupId", newKey: "/account/groups/$groupId/keys/new" },
} as const
