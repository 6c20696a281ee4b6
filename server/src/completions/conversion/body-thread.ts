import { createWorkerClient } from "../../background/worker-client.ts"
import { createSemaphore } from "../../concurrency/semaphore.ts"
import type { JsonBody } from "../../http/body-buffer.ts"
import { type BodyTask, bodyTasks, type ChangedFields } from "./body-tasks.ts"
import type { AnswerToConvert, ConvertedAnswer } from "./convert-whole-answer.ts"
import { toBuffer } from "./to-buffer.ts"

type TaskName = keyof typeof bodyTasks

/** A task with its input, or an answer to be converted. */
export type BodyWorkerRequest =
  | { task: TaskName; bytes: Uint8Array; input: unknown }
  | { answer: AnswerToConvert }

/** Who a task is for. */
export interface BodyOwner {
  userId: string
  /** Ends the wait for a turn. */
  signal?: AbortSignal | undefined
}

const idleTimeoutMs = 30_000

const nameByTask = new Map<unknown, TaskName>()
for (const name of Object.keys(bodyTasks) as TaskName[]) nameByTask.set(bodyTasks[name], name)

const nameOf = (task: unknown): TaskName => {
  const name = nameByTask.get(task)
  if (!name) throw new Error("Only tasks of `bodyTasks` run in the thread.")
  return name
}

/**
 * Runs the tasks that parse or serialize a large body in a thread of their own, in which users take
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
    /** @throws {Failure} as the task does */
    read: async <Input, Result>(
      owner: BodyOwner,
      task: BodyTask<Input, Result>,
      { bytes, input }: { bytes: Buffer; input: Input },
    ): Promise<Result> => (await send(owner, { task: nameOf(task), bytes, input })) as Result,

    /** `read` for a task that changes the body. @returns the new body, and what else it found */
    change: async <Input, Result extends ChangedFields>(
      owner: BodyOwner,
      task: BodyTask<Input, Result>,
      { bytes, input }: { bytes: Buffer; input: Input },
    ): Promise<{ body: JsonBody | null; rest: Omit<Result, "fields"> }> => {
      const changed = await send(owner, { task: nameOf(task), bytes, input })
      const { body, rest } = changed as { body: JsonBody | null; rest: Omit<Result, "fields"> }
      return { body: body && { ...body, bytes: toBuffer(body.bytes) }, rest }
    },

    convertWholeAnswer: async (
      owner: BodyOwner,
      answer: AnswerToConvert,
    ): Promise<ConvertedAnswer> => (await send(owner, { answer })) as ConvertedAnswer,

    close: thread.close,
  }
}

export type BodyThread = ReturnType<typeof createBodyThread>
