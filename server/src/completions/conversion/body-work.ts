import type { ReportDropped } from "../../formats/canonical-request.ts"
import type { InboundFormat } from "../../formats/inbound-format.ts"
import { checkParsableSize } from "../../http/json-object.ts"
import { chatOperation } from "../operations/chat.ts"
import type { ModelRequest } from "../request/model-request.ts"
import type { ChangedRequest } from "../request/upstream-request.ts"
import { type BodyTask, bodyTasks, type ChangedFields } from "./body-tasks.ts"
import type { BodyOwner, BodyThread } from "./body-thread.ts"
import type { ConvertedRequest } from "./client-conversion.ts"
import type { EncodingTarget } from "./encode-for-provider.ts"
import { toBuffer } from "./to-buffer.ts"

/** Runs the tasks of `bodyTasks`: for small bodies immediately, for large ones in a thread. */
export const createBodyWork = (thread: BodyThread) => {
  /** @throws {Failure} as the task does, or `body_too_large` */
  const read = async <Input, Result>(
    owner: BodyOwner,
    request: ModelRequest,
    task: BodyTask<Input, Result>,
    input: Input,
  ): Promise<Result> =>
    request.isLarge
      ? thread.read(owner, task, { bytes: checkParsableSize(request.bytes), input })
      : task(request.fields, input)

  /**
   * `read` for a task that changes the request.
   * @param isLarge whether the task takes long, though the request may be small
   * @returns the new request, and what else the task found
   */
  const change = async <Input, Result extends ChangedFields>(
    owner: BodyOwner,
    request: ModelRequest,
    task: BodyTask<Input, Result>,
    { input, isLarge = request.isLarge }: { input: Input; isLarge?: boolean },
  ): Promise<Omit<Result, "fields"> & { request: ModelRequest }> => {
    if (!isLarge) {
      const { fields, ...rest } = task(request.fields, input)
      return { ...rest, request: fields ? request.withFields(fields) : request }
    }
    const bytes = checkParsableSize(request.bytes)
    const { body, rest } = await thread.change(owner, task, { bytes, input })
    return { ...rest, request: body ? request.withBody(body) : request }
  }

  return {
    read,
    change,

    /** The request for a provider that speaks the client's format. @throws {Failure} */
    toPassThrough: async (owner: BodyOwner, request: ModelRequest): Promise<ModelRequest> => {
      const { passThrough, name: input } = request.operation
      if (!passThrough?.mayNeedChange(request.bytes, request.fields)) return request
      return (await change(owner, request, bodyTasks.passThrough, { input })).request
    },

    /**
     * @param received as the client sent it
     * @param standalone the same without references to what the gateway stores
     * @throws {Failure} `unsupported_by_model`, `bad_request` or `body_too_large`
     */
    toCanonical: async (
      owner: BodyOwner,
      { received, standalone }: Record<"received" | "standalone", ModelRequest>,
      format: InboundFormat,
    ): Promise<Omit<ConvertedRequest, "passThrough">> => {
      const input = standalone.operation.name
      const converted = await change(owner, standalone, bodyTasks.toCanonical, { input })
      const { request, ...decoded } = converted
      const canonical = request.with({ operation: chatOperation })
      return { received, canonical, format, ...decoded }
    },

    /** The body of a canonical prompt in the format of an endpoint. @throws {Failure} */
    encode: (
      owner: BodyOwner,
      canonical: ChangedRequest,
      target: EncodingTarget,
      report: ReportDropped,
    ): Buffer | Promise<Buffer> => {
      const finish = ({ encoded, dropped }: ReturnType<typeof bodyTasks.encode>): Buffer => {
        dropped.forEach(report)
        return toBuffer(encoded)
      }
      const fields = canonical.smallFields()
      if (fields) return finish(bodyTasks.encode(fields, target))
      const bytes = checkParsableSize(canonical.toBytes())
      return thread.read(owner, bodyTasks.encode, { bytes, input: target }).then(finish)
    },
  }
}

export type BodyWork = ReturnType<typeof createBodyWork>
