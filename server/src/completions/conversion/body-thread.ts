import { createWorkerClient } from "../../db/worker-client.ts"
import type { JsonBody } from "../../http/body-buffer.ts"
import { createSemaphore } from "../../limits/semaphore.ts"
import { type BodyStep, bodySteps, type ChangedFields } from "./body-steps.ts"
import type { AnswerToConvert, ConvertedAnswer } from "./convert-answer.ts"
import { toBuffer } from "./to-buffer.ts"

type StepName = keyof typeof bodySteps

/** A step with its input, or an answer to be converted. */
export type BodyWorkerRequest =
  | { step: StepName; bytes: Uint8Array; input: unknown }
  | { answer: AnswerToConvert }

/** Who a step is for. */
export interface BodyOwner {
  userId: string
  /** Ends the wait for a turn. */
  signal?: AbortSignal | undefined
}

const idleTimeoutMs = 30_000

const nameByStep = new Map<unknown, StepName>()
for (const name of Object.keys(bodySteps) as StepName[]) nameByStep.set(bodySteps[name], name)

const nameOf = (step: unknown): StepName => {
  const name = nameByStep.get(step)
  if (!name) throw new Error("Only steps of `bodySteps` run in the thread.")
  return name
}

/**
 * Runs the steps that parse or serialize a large body in a thread of their own, in which users take
 * turns. How many can wait is limited by the limit on buffered bodies. The thread starts with the
 * first large body, and ends when idle.
 */
export const createBodyThread = () => {
  const module = new URL("./body-worker.ts", import.meta.url)
  const thread = createWorkerClient<BodyWorkerRequest, unknown>(module, null, idleTimeoutMs)
  const turns = createSemaphore({ maxConcurrent: 1 })
  const send = ({ userId, signal }: BodyOwner, request: BodyWorkerRequest): Promise<unknown> =>
    turns.run({ key: userId, ...(signal && { signal }) }, () => thread.request(request))

  return {
    /** @throws {Failure} as the step does */
    read: async <Input, Result>(
      owner: BodyOwner,
      step: BodyStep<Input, Result>,
      { bytes, input }: { bytes: Buffer; input: Input },
    ): Promise<Result> => (await send(owner, { step: nameOf(step), bytes, input })) as Result,

    /** `read` for a step that changes the body. @returns the new body, and what else it found */
    change: async <Input, Result extends ChangedFields>(
      owner: BodyOwner,
      step: BodyStep<Input, Result>,
      { bytes, input }: { bytes: Buffer; input: Input },
    ): Promise<{ body: JsonBody | null; rest: Omit<Result, "fields"> }> => {
      const changed = await send(owner, { step: nameOf(step), bytes, input })
      const { body, rest } = changed as { body: JsonBody | null; rest: Omit<Result, "fields"> }
      return { body: body && { ...body, bytes: toBuffer(body.bytes) }, rest }
    },

    convertAnswer: async (owner: BodyOwner, answer: AnswerToConvert): Promise<ConvertedAnswer> =>
      (await send(owner, { answer })) as ConvertedAnswer,

    close: thread.close,
  }
}

export type BodyThread = ReturnType<typeof createBodyThread>
