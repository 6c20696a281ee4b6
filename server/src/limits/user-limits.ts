import type { Config } from "../config/config.ts"
import { createUserLimit } from "./user-limit.ts"

/** The limits on what each user, and all users together, may hold at the same time. */
export const createUserLimits = (config: Config) => ({
  requests: createUserLimit({
    what: "model requests under way",
    variable: "MAX_REQUESTS",
    bounds: config.MAX_REQUESTS,
  }),
  answers: createUserLimit({
    what: "answers being written",
    variable: "MAX_ANSWERS",
    bounds: config.MAX_ANSWERS,
  }),
  eventStreams: createUserLimit({
    what: "event streams open",
    variable: "MAX_EVENT_STREAMS",
    bounds: config.MAX_EVENT_STREAMS,
  }),
  bodies: createUserLimit({
    what: "bytes of request bodies in memory",
    variable: "MAX_BUFFERED_BODIES",
    bounds: config.MAX_BUFFERED_BODIES,
  }),
  replies: createUserLimit({
    what: "bytes of replies waiting to be read",
    variable: "MAX_BUFFERED_REPLIES",
    bounds: config.MAX_BUFFERED_REPLIES,
  }),
  uploads: createUserLimit({
    what: "uploads under way",
    variable: "MAX_UPLOADS",
    bounds: config.MAX_UPLOADS,
  }),
})

export type UserLimits = ReturnType<typeof createUserLimits>
