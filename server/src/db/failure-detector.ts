interface Held {
  id: string
  lease_until: number | null
}

interface Options {
  /** How long a lease may stay unchanged before its holder is considered dead. */
  deadAfterMs: number
  /**
   * After a gap this long between two observations, caused by us or by the database, earlier ones
   * are discarded.
   */
  gapMs: number
}

/**
 * Finds rows held by dead processes, which no longer renew their leases. It only observes whether a
 * lease changes, and for how long it has not: clocks of different processes are never compared, a
 * clock that is set back leaves nothing stuck, and a process that was suspended or cut off from the
 * database does not count that time against others.
 */
export const createFailureDetector = ({ deadAfterMs, gapMs }: Options) => {
  let watched = new Map<string, { lease: number | null; since: number }>()
  let lastLook = Number.NEGATIVE_INFINITY

  return {
    /**
     * @param at monotonic ms when `leasedRows` were read
     * @returns the rows held by dead processes
     */
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
