import { brokenBodies } from "./bodies.ts"
import { brokenStreams } from "./events.ts"
import { brokenFraming } from "./framing.ts"
import { brokenHeads } from "./heads.ts"
import type { BrokenReply } from "./reply.ts"

/** All known ways to break a reply. */
export const brokenReplies: readonly BrokenReply[] = [
  ...brokenHeads,
  ...brokenFraming,
  ...brokenBodies,
  ...brokenStreams,
]
