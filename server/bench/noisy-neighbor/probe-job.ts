import { z } from "zod"

/** Work for the probe: the same small completion to each target, at `rate` per second. */
export const ProbeJob = z.object({
  targets: z.array(z.object({ port: z.number(), key: z.string() })),
  body: z.string(),
  rate: z.number(),
  seconds: z.number(),
})
export type ProbeJob = z.infer<typeof ProbeJob>

/** Per target: response times in ms, and the number of requests without a response. */
export const ProbeResult = z.array(z.object({ times: z.array(z.number()), failed: z.number() }))
export type ProbeResult = z.infer<typeof ProbeResult>
