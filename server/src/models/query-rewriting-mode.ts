import { z } from "zod"

/**
 * When questions are rewritten before files are searched; `automatic`: only if the question alone is
 * probably not enough to find the answer.
 */
export const QueryRewritingMode = z.enum(["off", "on", "automatic"])
export type QueryRewritingMode = z.output<typeof QueryRewritingMode>
