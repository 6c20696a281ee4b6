import { fail } from "../errors.ts"
import { hasPermission, type Principal } from "../grants/grants.ts"
import type { Prompt } from "./schema.ts"

export const failPromptNotFound = (): never => fail("not_found", "Prompt not found.")

/** Whether the principal owns the prompt or was granted the permission. */
const canAccess = (
  { user_id, access_grants }: Prompt,
  principal: Principal,
  permission: "read" | "write",
): boolean => user_id === principal.user.id || hasPermission(access_grants, principal, permission)

export const canWrite = (prompt: Prompt, principal: Principal): boolean =>
  canAccess(prompt, principal, "write")

/** @throws {Failure} `not_found`, also if the principal has no access */
export const requireReadable = (prompt: Prompt | undefined, principal: Principal): Prompt =>
  prompt && canAccess(prompt, principal, "read") ? prompt : failPromptNotFound()

/** @throws {Failure} `not_found` without read access, `forbidden` without write access */
export const requireWritable = (prompt: Prompt | undefined, principal: Principal): Prompt => {
  const readable = requireReadable(prompt, principal)
  if (canWrite(readable, principal)) return readable
  return fail("forbidden", "You can use this prompt, but not change it.")
}

/**
 * Sharing and deleting a prompt is up to its owner: otherwise a writer whose grant is revoked could
 * have granted access to another account.
 * @throws {Failure} `forbidden`
 */
export const requireOwnership = (
  { user_id }: Prompt,
  { user }: Principal,
  refusal: string,
): void => {
  if (user_id !== user.id && user.role !== "admin") fail("forbidden", refusal)
}
