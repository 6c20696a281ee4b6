import { brokenBodies } from "./bodies.ts"
import { brokenStreams } from "./events.ts"
import { brokenFraming } from "./framing.ts"
import { brokenHeads } from "./heads.ts"
import type { BrokenReply } from "./reply.ts"

/** Every way of breaking a reply that is known here. */
export const brokenReplies: readonly BrokenReply[] = [
  ...brokenHeads,
  ...brokenFraming,
  ...brokenBodies,
  ...brokenStreams,
]
