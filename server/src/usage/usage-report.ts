import { fail } from "../errors.ts"
import {
  defaultListedGroups,
  defaultSpanSeconds,
  type UsageQuery,
  type UsageTotal,
} from "./schema.ts"
import type { UsageStore } from "./store.ts"
import { secondsPerDay, secondsPerHour } from "./sum-columns.ts"

const maxIntervals = 1000
/** A month has at least 28 days. */
const minSeconds = { hour: secondsPerHour, day: secondsPerDay, month: 28 * secondsPerDay }

interface Deps {
  store: Pick<UsageStore, "sumUsage">
  now: () => number
}

export interface UsageSums {
  from: number
  to: number
  items: UsageTotal[]
}

const isTime = (group: UsageQuery["group_by"]) =>
  group === "hour" || group === "day" || group === "month"

/** Days and months without an interval are not bounded: there are few of them. */
const checkIntervals = ({ group_by, interval }: UsageQuery, seconds: number): void => {
  if (interval && isTime(group_by)) {
    fail("bad_request", `interval cannot be combined with group_by=${group_by}. Use group_by=none.`)
  }
  const listed = interval ?? (group_by === "hour" ? group_by : undefined)
  if (!listed || seconds / minSeconds[listed] <= maxIntervals) return
  const message = `There are more than ${maxIntervals} intervals of one ${listed} between from and to.`
  fail("bad_request", `${message} Choose a shorter period or a longer interval.`)
}

/** Answers what a caller may ask of the usage. */
export const createUsageReports = ({ store, now }: Deps) => ({
  /** @throws {Failure} `bad_request` if the period has too many intervals */
  sum: async (query: UsageQuery): Promise<UsageSums> => {
    const to = query.to ?? now() + 1
    const from = query.from ?? Math.max(0, to - defaultSpanSeconds)
    checkIntervals(query, to - from)
    const top = query.top ?? (query.interval ? defaultListedGroups : undefined)
    const ranking = top === undefined ? undefined : { top, by: query.rank_by }
    return { from, to, items: await store.sumUsage({ ...query, from, to }, ranking) }
  },
})

export type UsageReports = ReturnType<typeof createUsageReports>
