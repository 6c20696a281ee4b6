import { z } from "zod"

/** Work for the load driver against one server. */
export const Job = z.object({
  port: z.number(),
  path: z.string(),
  body: z.string(),
  key: z.string(),
  /**
   * closed: each connection sends its next request on receiving a response.
   * open: `rate` requests per second regardless of responses, on as many connections as needed.
   * once: `connections` requests at `rate` per second, each on its own connection.
   */
  mode: z.enum(["closed", "open", "once"]),
  connections: z.number(),
  rate: z.number(),
  /** Length of the measured window; for `once`, the maximum wait. */
  seconds: z.number(),
  /** Expected body length in bytes; any other length counts as failed. */
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
  /** Load of unrelated processes. */
  otherBusy: z.number(),
  p50: z.number(),
  p99: z.number(),
  firstP50: z.number(),
  firstP99: z.number(),
  /** Mean number of socket reads per response. */
  reads: z.number(),
})
export type Result = z.infer<typeof Result>
