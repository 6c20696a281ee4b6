import { currentUser } from "../concurrency/current-user.ts"

/** How many connections of a pool one user may hold at a time. */
const sharePerUser = 0.4

interface ConnectionUsage {
  connections: number
  /** Resolvers; those before `next` have been called. */
  queue: (() => void)[]
  next: number
}

/** Limits how many of a pool's connections each user holds. Calls without a user do not wait. */
export const createConnectionShares = (poolSize: number) => {
  const maxPerUser = Math.max(1, Math.floor(poolSize * sharePerUser))
  const usageByUser = new Map<string, ConnectionUsage>()

  const release = (user: string, usage: ConnectionUsage) => (): void => {
    const resume = usage.queue[usage.next]
    if (resume) {
      usage.next++
      resume()
      return
    }
    usage.queue = []
    usage.next = 0
    usage.connections--
    if (usage.connections === 0) usageByUser.delete(user)
  }

  return {
    /** @returns a function that releases the connection, to be called once */
    acquire: async (): Promise<() => void> => {
      const user = currentUser()
      if (user === undefined) return () => {}
      const usage = usageByUser.get(user) ?? { connections: 0, queue: [], next: 0 }
      usageByUser.set(user, usage)
      if (usage.connections < maxPerUser) usage.connections++
      else await new Promise<void>((resolve) => usage.queue.push(resolve))
      return release(user, usage)
    },
  }
}

export type ConnectionShares = ReturnType<typeof createConnectionShares>
