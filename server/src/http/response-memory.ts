import type { UserLimit } from "../concurrency/user-limit.ts"
import { smallBodyBytes } from "./body-buffer.ts"
import { limitOwnerOf } from "./client-address.ts"
import { type NodeRequestContext, whenClosed } from "./request-context.ts"
import { maxStallMs } from "./response-writer.ts"
import type { CountPiece } from "./route.ts"

const isReadOnly = ({ incoming }: NodeRequestContext): boolean =>
  incoming.method === "GET" || incoming.method === "HEAD"

/** A piece is held as text, as JSON, and as bytes. */
const heldPerPieceByte = 3

/** Counts buffered responses against their users' limits until the clients have read them. */
export const createResponseMemory = (limit: UserLimit) => {
  return {
    /**
     * Call before a request changes anything: afterwards, its response is always sent.
     * @throws {Failure} `rate_limited` if the user already has too many unread bytes
     */
    checkAvailable: (context: NodeRequestContext): void => {
      if (!isReadOnly(context)) limit.check(limitOwnerOf(context))
    },

    /** @throws {Failure} `rate_limited` for GET and HEAD if the user has too many unread bytes */
    count: (context: NodeRequestContext, bytes: number): void => {
      // Small responses are bounded by the limit on requests.
      if (bytes <= smallBodyBytes) return
      const { outgoing } = context
      const owner = limitOwnerOf(context)
      // A response above the limit is allowed if the user has no other unread response.
      const amount = Math.min(bytes, limit.maxPerUser)
      const release = isReadOnly(context) ? limit.reserve(owner, amount) : limit.hold(owner, amount)
      whenClosed(outgoing, release)
      outgoing.setTimeout(maxStallMs, () => outgoing.destroy())
    },

    /**
     * For a response that is read piece by piece: each piece is held until the next one is read.
     * @throws {Failure} `rate_limited` if the user already has too many unread bytes
     */
    createPieceCounter: (context: NodeRequestContext): CountPiece => {
      const { outgoing } = context
      const owner = limitOwnerOf(context)
      limit.check(owner)
      let release = (): void => {}
      whenClosed(outgoing, () => release())
      outgoing.setTimeout(maxStallMs, () => outgoing.destroy())
      return (bytes) => {
        release()
        // A piece above the limit is allowed if the user has nothing else unread.
        const held = Math.min(bytes * heldPerPieceByte, limit.maxPerUser)
        release = limit.reserve(owner, bytes <= smallBodyBytes ? 0 : held)
        if (outgoing.destroyed) release()
      }
    },
  }
}
