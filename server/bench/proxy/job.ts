import { z } from "zod"

/** What the driver is asked to do against one server. */
export const Job = z.object({
  port: z.number(),
  path: z.string(),
  body: z.string(),
  key: z.string(),
  /**
   * closed: every connection asks again as soon as it was answered.
   * open: `rate` requests a second whatever the answers do, on as many connections as that takes.
   * once: `connections` requests, `rate` a second, each on a connection of its own.
   */
  mode: z.enum(["closed", "open", "once"]),
  connections: z.number(),
  rate: z.number(),
  /** Length of the measured window; for `once` the longest wait. */
  seconds: z.number(),
  /** Bytes of the body that a whole answer has; anything else counts as failed. */
  bytes: z.number(),
  /** The measured process. */
  pid: z.number(),
  upstreamPid: z.number(),
})
export type Job = z.infer<typeof Job>

/** Times in ms, CPU in µs, `…Busy` as shares of one core. */
export const Result = z.object({
  requests: z.number(),
  failed: z.number(),
  rate: z.number(),
  cpu: z.number(),
  busy: z.number(),
  loadBusy: z.number(),
  /** What has nothing to do with the bench. */
  otherBusy: z.number(),
  p50: z.number(),
  p99: z.number(),
  firstP50: z.number(),
  firstP99: z.number(),
  /** Mean number of reads in which an answer arrived. */
  reads: z.number(),
})
export type Result = z.infer<typeof Result>
