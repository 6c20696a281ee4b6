import type { Config } from "../config/config.ts"
import { createUserLimit, type UserAndTotal, type UserLimit } from "./user-limit.ts"

/** The environment variables that set a bound per user and one for all users together. */
type BoundsVariable = {
  [Name in keyof Config]-?: Config[Name] extends UserAndTotal ? Name : never
}[keyof Config]

/** The limits on what each user, and all users together, may hold at the same time. */
export type UserLimits = Record<
  "requests" | "answers" | "eventStreams" | "bodies" | "replies" | "uploads",
  UserLimit
>

export const createUserLimits = (config: Config): UserLimits => {
  const limitOf = (variable: BoundsVariable, what: string): UserLimit =>
    createUserLimit({ what, variable, bounds: config[variable] })
  return {
    requests: limitOf("MAX_REQUESTS", "model requests under way"),
    answers: limitOf("MAX_ANSWERS", "answers being written"),
    eventStreams: limitOf("MAX_EVENT_STREAMS", "event streams open"),
    bodies: limitOf("MAX_BUFFERED_BODIES", "bytes of request bodies in memory"),
    replies: limitOf("MAX_BUFFERED_REPLIES", "bytes of replies waiting to be read"),
    uploads: limitOf("MAX_UPLOADS", "uploads under way"),
  }
}
