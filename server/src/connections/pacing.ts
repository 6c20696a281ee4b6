import type { RequestHandle } from "@portico/http1"
import { type EventLoopShare, turnCosts } from "../limits/fair-event-loop.ts"

/** How a response goes on whose conversion takes longer than a turn on the event loop. */
export interface Pacing {
  /** Continues reading after `onData` returned false. */
  resume(): void
  /** Cancels the request: what has arrived is unreadable. */
  cancel(): void
  /** Continues the conversion in another turn. */
  wait(go: () => void): void
}

/**
 * Paces by the caller's share of the event loop.
 * @param onUnexpectedError called with what `go` throws
 */
export const createPacing = (
  share: EventLoopShare,
  request: RequestHandle,
  onUnexpectedError: (error: unknown) => void,
): Pacing => ({
  resume: () => request.resume(),
  cancel: () => request.cancel(),
  wait: (go) =>
    share.wait(turnCosts.conversion, () => {
      try {
        go()
      } catch (error) {
        onUnexpectedError(error)
      }
    }),
})
