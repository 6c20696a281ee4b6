import { z } from "zod"

/** What the probe is asked: the same small completion of each target, so many a second. */
export const ProbeJob = z.object({
  targets: z.array(z.object({ port: z.number(), key: z.string() })),
  body: z.string(),
  rate: z.number(),
  seconds: z.number(),
})
export type ProbeJob = z.infer<typeof ProbeJob>

/** Of each target: how long answers took, in ms, and how many requests had none. */
export const ProbeResult = z.array(z.object({ times: z.array(z.number()), failed: z.number() }))
export type ProbeResult = z.infer<typeof ProbeResult>
