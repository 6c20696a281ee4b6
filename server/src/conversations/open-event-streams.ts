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
  /** The roles and groups of active users, by their ids. */
  standings: AuthStore["standings"]
}

/**
 * The open event pages. A page may stay open for days: the roles and groups of its user are read
 * again after a change, for all pages at once, before the next event is addressed by them.
 */
export const createOpenPages = ({ bus, standings }: Deps) => {
  const pages = new Set<OpenPage>()
  /** Counts what may have changed memberships, and how much of it `pages` reflects. */
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

    /** @returns to be called when the page is closed */
    add: (page: OpenPage): (() => void) => {
      pages.add(page)
      // Its caller was read before it was here to be refreshed.
      changes++
      return () => void pages.delete(page)
    },

    /** Resolves when the callers of all pages are as of now. */
    refresh,
  }
}

/** Of an account that is no longer active; its stream is about to end. */
const noAccess = { role: "pending", groups: new Set<string>() } as const
