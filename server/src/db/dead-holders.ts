interface LeasedRow {
  id: string
  lease_until: number | null
}

interface DeadHolderDetectorOptions {
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
export const createDeadHolderDetector = ({ deadAfterMs, gapMs }: DeadHolderDetectorOptions) => {
  let observedById = new Map<string, { lease: number | null; since: number }>()
  let lastObservation = Number.NEGATIVE_INFINITY

  return {
    /**
     * @param at monotonic ms when `leasedRows` were read
     * @returns the rows held by dead processes
     */
    observe: <Row extends LeasedRow>(leasedRows: readonly Row[], at: number): Row[] => {
      const previousById = at - lastObservation < gapMs ? observedById : new Map<string, never>()
      lastObservation = at
      observedById = new Map(
        leasedRows.map(({ id, lease_until: lease }) => {
          const previous = previousById.get(id)
          return [id, previous?.lease === lease ? previous : { lease, since: at }]
        }),
      )
      return leasedRows.filter(({ id }) => at - (observedById.get(id)?.since ?? at) >= deadAfterMs)
    },
  }
}
