import { createWorkerClient } from "../../db/worker-client.ts"
import { createSemaphore } from "../../limits/semaphore.ts"
import type { BodySteps } from "./body-steps.ts"

/** A step with its input. */
export interface BodyWorkerRequest {
  step: keyof BodySteps
  input: unknown
}

/** Who a step is for. */
export interface BodyOwner {
  userId: string
  /** Ends the wait for a turn. */
  signal?: AbortSignal | undefined
}

const idleTimeoutMs = 30_000

/**
 * Runs the steps that parse or serialize a large body in a thread of their own, in which users take
 * turns. How many can wait is limited by the limit on buffered bodies. The thread starts with the
 * first large body, and ends when idle.
 */
export const createBodyThread = () => {
  const module = new URL("./body-worker.ts", import.meta.url)
  const thread = createWorkerClient<BodyWorkerRequest, unknown>(module, null, idleTimeoutMs)
  const turns = createSemaphore({ maxConcurrent: 1 })

  return {
    /** @throws {Failure} as the step does */
    run: async <Step extends keyof BodySteps>(
      { userId, signal }: BodyOwner,
      step: Step,
      input: Parameters<BodySteps[Step]>[0],
    ): Promise<ReturnType<BodySteps[Step]>> => {
      const request = { key: userId, ...(signal && { signal }) }
      const result = await turns.run(request, () => thread.request({ step, input }))
      return result as ReturnType<BodySteps[Step]>
    },

    close: thread.close,
  }
}

export type BodyThread = ReturnType<typeof createBodyThread>
