import type { AuthStore } from "../auth/store.ts"
import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { StreamEvent } from "../http/sse-response.ts"

export interface OpenPage {
  caller: Caller
  send: (event: StreamEvent) => void
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
export const createOpenPages = ({ bus, standings }: Deps) => {
  const pages = new Set<OpenPage>()
  /** Counts changes that may affect memberships, and how many of them are applied. */
  let changes = 0
  let reflected = 0
  let refreshing: Promise<void> | null = null

  const readUntilCurrent = async (): Promise<void> => {
    while (reflected !== changes) {
      const upTo = changes
      const present = await standings(new Set([...pages].map(({ caller }) => caller.user.id)))
      for (const page of pages) {
        const { role, groups } = present.get(page.caller.user.id) ?? noAccess
        page.caller = { ...page.caller, user: { ...page.caller.user, role }, groups }
      }
      reflected = upTo
    }
  }

  const refresh = (): Promise<void> => {
    refreshing ??= readUntilCurrent().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  const hasUser = (id: string): boolean => {
    for (const { caller } of pages) if (caller.user.id === id) return true
    return false
  }

  bus.subscribe((message) => {
    const { topic } = message
    const isOfUser = topic === "user" && hasUser(message.id)
    if (topic === "groups" || topic === "reset" || isOfUser) changes++
  })

  return {
    all: (): ReadonlySet<OpenPage> => pages,

    /** @returns a function to call when the stream is closed */
    add: (page: OpenPage): (() => void) => {
      pages.add(page)
      // The caller was read before the stream was registered here.
      changes++
      return () => void pages.delete(page)
    },

    /** Resolves when the roles and groups of all callers are current. */
    refresh,
  }
}

/** For accounts that are no longer active; their streams are about to end. */
const noAccess = { role: "pending", groups: new Set<string>() } as const
