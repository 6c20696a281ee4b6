import { serveRequests } from "../../db/worker-client.ts"
import { lowerThreadPriority } from "../../limits/thread-priority.ts"
import { bodySteps } from "./body-steps.ts"
import type { BodyWorkerRequest } from "./body-thread.ts"

/** Runs in its own worker thread, which `body-thread.ts` calls. */
lowerThreadPriority(10)

serveRequests(({ step, input }: BodyWorkerRequest) => {
  const run: (input: never) => unknown = bodySteps[step]
  return run(input as never)
})
