import type { Caller } from "../http/caller.ts"

/**
 * The group that a request is charged to: of the caller's groups, the one that was created first.
 * Its id is the smallest, as ids begin with the time. Null if the caller is in no group.
 */
export const payingGroupOf = ({ groups }: Pick<Caller, "groups">): string | null => {
  let first: string | null = null
  for (const id of groups) if (first === null || id < first) first = id
  return first
}
