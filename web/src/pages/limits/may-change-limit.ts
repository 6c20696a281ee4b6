import type { Limit } from "../../../../server/src/limits/schema.ts"

interface Viewer {
  role: string
}

/** Whether a user may change or delete a limit. */
export const mayChangeLimit = ({ role }: Viewer, _limit: Limit): boolean => role === "admin"
