import { serveRequests } from "../../background/worker-client.ts"
import { lowerThreadPriority } from "../../concurrency/thread-priority.ts"
import { fail } from "../../errors.ts"
import { parseObject } from "../../formats/json-values.ts"
import { toJsonBody } from "../../http/json-object.ts"
import { type BodyTask, bodyTasks, type ChangedFields } from "./body-tasks.ts"
import type { BodyWorkerRequest } from "./body-thread.ts"
import { convertWholeAnswer } from "./convert-whole-answer.ts"
import { toBuffer } from "./to-buffer.ts"

/** Runs in its own worker thread, which `body-thread.ts` calls. */
lowerThreadPriority(10)

const hasFields = (result: unknown): result is ChangedFields =>
  typeof result === "object" && result !== null && "fields" in result

serveRequests((request: BodyWorkerRequest) => {
  if ("answer" in request) return convertWholeAnswer(request.answer)
  const run: BodyTask<never, unknown> = bodyTasks[request.task]
  const fields =
    parseObject(toBuffer(request.bytes).toString("utf8")) ??
    // Requests are valid: they were checked as they arrived.
    fail("upstream_broken", "The provider's response is not valid JSON.")
  const result = run(fields, request.input as never)
  if (!hasFields(result)) return result
  const { fields: changed, ...rest } = result
  return { rest, body: changed && toJsonBody(Buffer.from(JSON.stringify(changed))) }
})
