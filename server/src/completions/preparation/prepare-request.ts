import { Failure } from "../../errors.ts"
import type { InboundFormat } from "../../formats/inbound-format.ts"
import type { BodyMemory } from "../../http/body-memory.ts"
import type { Caller } from "../../http/caller.ts"
import type { RequestContext } from "../../http/request-context.ts"
import type { ResolvedModel } from "../../models/catalogue.ts"
import type { SerializedInput } from "../../stored-responses/serialize-response.ts"
import type { BodyWork } from "../conversion/body-work.ts"
import type { ConvertedRequest } from "../conversion/client-conversion.ts"
import {
  checkFormatSupport,
  formatSupportOf,
  mustReadPrompt,
} from "../conversion/format-support.ts"
import type { ModelFilters } from "../request/model-filters.ts"
import type { ModelRequest } from "../request/model-request.ts"
import type { FileInliner } from "./inline-files.ts"
import type { ReferenceResolver } from "./resolve-references.ts"

/** A request without references to what the gateway stores. */
interface StandaloneRequest {
  request: ModelRequest
  /** The items to store with the response; null if it is not stored. */
  storedItems: SerializedInput | null
}

/** A request that a provider, a function or a filter can read. */
export interface PreparedRequest extends StandaloneRequest {
  /** Null if the request stays in the client's format. */
  converted: ConvertedRequest | null
}

/** What cannot be converted may be supported by the endpoints that speak the format. */
const convertOrPass = async (
  convert: () => Promise<PreparedRequest>,
  passed: PreparedRequest,
): Promise<PreparedRequest> => {
  try {
    return await convert()
  } catch (error) {
    if (error instanceof Failure && error.code === "unsupported_by_model") return passed
    throw error
  }
}

interface Deps {
  filters: Pick<ModelFilters, "areAttachedTo">
  inlineFiles: FileInliner
  references: ReferenceResolver
  bodyWork: BodyWork
  bodyMemory: Pick<BodyMemory, "reserverOf">
}

interface Input {
  context: RequestContext
  caller: Caller
  resolved: ResolvedModel
  signal: AbortSignal
}

/**
 * Prepares requests of inbound APIs other than chat completions: resolves what they refer to, and
 * converts them, unless every endpoint of the model speaks their format or only those that do can
 * answer.
 */
export const createRequestPreparation = (deps: Deps) => {
  const { filters, inlineFiles, references, bodyWork, bodyMemory } = deps

  const mustRead = (request: ModelRequest, resolved: ResolvedModel): boolean =>
    mustReadPrompt(request, resolved, filters.areAttachedTo(resolved))

  const replaceReferences = async (
    received: ModelRequest,
    { context, caller, signal }: Input,
  ): Promise<StandaloneRequest> => {
    const reading = { caller, signal, reserve: bodyMemory.reserverOf(context) }
    if (!received.operation.refersToResponses) {
      const request = await inlineFiles(received, { ...reading, storedPositions: [] })
      return { request, storedItems: null }
    }
    const resolvedRequest = await references.resolve(caller, received, reading)
    const { storedItems, storedPositions } = resolvedRequest
    const request = await inlineFiles(resolvedRequest.request, { ...reading, storedPositions })
    return { request, storedItems }
  }

  return {
    /**
     * Does what takes time: reads what a request refers to, and finds out which endpoints speak its
     * format.
     * @throws {Failure} if the request refers to something unknown
     */
    resolveReferences: async (received: ModelRequest, input: Input): Promise<StandaloneRequest> => {
      const standalone = await replaceReferences(received, input)
      const { resolved } = input
      if (!mustRead(received, resolved)) await checkFormatSupport(received, resolved)
      return standalone
    },

    /** @throws {Failure} if the request cannot be converted */
    prepare: async (
      received: ModelRequest,
      { request, storedItems }: StandaloneRequest,
      { format, resolved, caller, signal }: Input & { format: InboundFormat },
    ): Promise<PreparedRequest> => {
      const owner = { userId: caller.user.id, signal }
      const support = mustRead(request, resolved) ? "none" : formatSupportOf(request, resolved)
      const passThrough = support === "none" ? null : await bodyWork.toPassThrough(owner, request)
      const convert = async (): Promise<PreparedRequest> => {
        const requests = { received, standalone: request }
        const converted = { ...(await bodyWork.toCanonical(owner, requests, format)), passThrough }
        return { request: converted.canonical, converted, storedItems }
      }
      if (!passThrough) return convert()
      const passed = { request: passThrough, converted: null, storedItems }
      if (support === "all") return passed
      return passThrough.operation.prefersPassThrough ? passed : convertOrPass(convert, passed)
    },
  }
}

export type RequestPreparation = ReturnType<typeof createRequestPreparation>
