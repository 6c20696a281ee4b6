import { fail } from "../../errors.ts"
import type { Message } from "../schema.ts"

/** The messages from the root to `id`, inclusive. @throws {Failure} `not_found` */
export const branchTo = <T extends Pick<Message, "id" | "parent_id">>(
  messages: readonly T[],
  id: string | null,
): T[] => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const branch: T[] = []
  for (let at = id; at !== null; ) {
    const message = byId.get(at)
    if (!message) return fail("not_found", `Message ${at} not found in this chat.`)
    branch.push(message)
    byId.delete(at)
    at = message.parent_id
  }
  return branch.reverse()
}
