interface Held {
  id: string
  lease_until: number | null
}

interface Options {
  /** How long a lease may stay as it is before the process that renews it counts as dead. */
  deadAfterMs: number
  /** After a gap as long as this between two looks, of ours or of the database, nothing is known. */
  gapMs: number
}

/**
 * Finds what is held by processes that died, by leases that are renewed no more. Only whether a lease
 * changes counts, and how long we have watched it: the clocks of two processes are never compared, one
 * that is set back strands nothing, and whoever was stopped for a while, or cut off from the database,
 * judges nobody by that time.
 */
export const createFailureDetector = ({ deadAfterMs, gapMs }: Options) => {
  let watched = new Map<string, { lease: number | null; since: number }>()
  let lastLook = Number.NEGATIVE_INFINITY

  return {
    /** @param at monotonic ms when `held` was read; @returns those of dead processes */
    observe: <Row extends Held>(held: readonly Row[], at: number): Row[] => {
      const known = at - lastLook < gapMs ? watched : new Map<string, never>()
      lastLook = at
      watched = new Map(
        held.map(({ id, lease_until: lease }) => {
          const before = known.get(id)
          return [id, before?.lease === lease ? before : { lease, since: at }]
        }),
      )
      return held.filter(({ id }) => at - (watched.get(id)?.since ?? at) >= deadAfterMs)
    },
  }
}
