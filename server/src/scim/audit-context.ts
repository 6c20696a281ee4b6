import type { Actor } from "../http/caller.ts"
import type { Order } from "../users/provisioned-users.ts"
import type { Ignored } from "./values.ts"

/** Who asks for a change, what the audit trail calls it, and what of it is not kept. */
export const orderOf = (
  actor: Actor,
  { action, status }: { action: string; status: number },
  ignored: Ignored,
): Order => ({
  actor,
  action,
  status,
  // Read late: some of what is ignored is found while the change is made.
  get ignored() {
    return ignored.names()
  },
})
