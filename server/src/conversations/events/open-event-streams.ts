import type { AuthStore } from "../../auth/store.ts"
import type { Bus } from "../../bus/bus.ts"
import { runAsNobody } from "../../concurrency/current-user.ts"
import type { Caller } from "../../http/caller.ts"
import type { ServerSentEvent } from "../../http/sse-response.ts"

export interface OpenEventStream {
  caller: Caller
  send: (event: ServerSentEvent) => void
}

interface Deps {
  bus: Bus
  /** The roles and groups of active users, by user id. */
  standings: AuthStore["accessByUser"]
}

/**
 * The open event streams. A stream may stay open for days: after a change, the roles and groups of
 * all users are read again before the next event that depends on them.
 */
export const createOpenEventStreams = ({ bus, standings }: Deps) => {
  const streams = new Set<OpenEventStream>()
  /** Counts changes that may affect memberships, and how many of them are applied. */
  let changeCount = 0
  let appliedCount = 0
  let pendingRefresh: Promise<void> | null = null

  const readUntilCurrent = async (): Promise<void> => {
    while (appliedCount !== changeCount) {
      const target = changeCount
      const current = await standings(new Set([...streams].map(({ caller }) => caller.user.id)))
      for (const stream of streams) {
        const { role, groups } = current.get(stream.caller.user.id) ?? noAccess
        stream.caller = { ...stream.caller, user: { ...stream.caller.user, role }, groups }
      }
      appliedCount = target
    }
  }

  const refresh = (): Promise<void> => {
    pendingRefresh ??= runAsNobody(readUntilCurrent).finally(() => {
      pendingRefresh = null
    })
    return pendingRefresh
  }

  const hasUser = (id: string): boolean =>
    streams.values().some(({ caller }) => caller.user.id === id)

  bus.subscribe("mark changed readers", (message) => {
    const { topic } = message
    const isOfUser = topic === "user" && hasUser(message.id)
    if (topic === "groups" || topic === "reset" || isOfUser) changeCount++
  })

  return {
    all: (): ReadonlySet<OpenEventStream> => streams,

    /** @returns a function to call when the stream is closed */
    add: (stream: OpenEventStream): (() => void) => {
      streams.add(stream)
      // The caller was read before the stream was registered here.
      changeCount++
      return () => void streams.delete(stream)
    },

    /** Resolves when the roles and groups of all callers are current. */
    refresh,
  }
}

/** For accounts that are no longer active; their streams are about to end. */
const noAccess = { role: "pending", groups: new Set<string>() } as const
