import { randomUUID } from "node:crypto"
import type { ReportDropped } from "../../formats/canonical-request.ts"
import type { InboundFormat } from "../../formats/inbound-format.ts"
import { toInputItems } from "../../formats/responses/to-input-items.ts"
import { type JsonBody, smallBodyBytes } from "../../http/body-buffer.ts"
import { checkParsableSize } from "../../http/json-object.ts"
import {
  type SerializedInput,
  type SerializedResponse,
  serializeInput,
} from "../../stored-responses/new-response.ts"
import { chatOperation } from "../operations/chat.ts"
import type { ChangedRequest } from "../request/changed-request.ts"
import {
  expandReferences,
  findReferences,
  type StoredContent,
} from "../request/expand-references.ts"
import {
  type FileReference,
  type FileReplacement,
  type FileScope,
  findFileReferences,
} from "../request/file-references.ts"
import type { ModelRequest } from "../request/model-request.ts"
import type { ExpandedBody, RequestMessage, ResponseMembers } from "./body-steps.ts"
import type { BodyOwner, BodyThread } from "./body-thread.ts"
import type { ConvertedRequest } from "./client-conversion.ts"
import { type EncodingTarget, encodeChatRequest } from "./encode-chat-request.ts"
import { estimatePromptTokens } from "./estimate-prompt-tokens.ts"
import { toBuffer } from "./to-buffer.ts"

/** Of a message between threads. */
const toBody = ({ bytes, scan }: JsonBody): JsonBody => ({ bytes: toBuffer(bytes), scan })

/** @throws {Failure} `body_too_large` */
const toMessage = (request: ModelRequest): RequestMessage => ({
  operation: request.operation.name,
  bytes: checkParsableSize(request.bytes),
})

/** Converts requests: small ones immediately, large ones in a thread. */
export const createRequestConversion = (thread: BodyThread) => ({
  /** The request for a provider that speaks the client's format. @throws {Failure} */
  toPassThrough: async (owner: BodyOwner, request: ModelRequest): Promise<ModelRequest> => {
    const { passThrough } = request.operation
    if (!passThrough?.mayNeedChange(request.bytes, request.fields)) return request
    if (!request.isLarge) {
      const changed = passThrough.change(request.fields)
      return changed === request.fields ? request : request.withFields(changed)
    }
    const body = await thread.run(owner, "passThrough", toMessage(request))
    return body ? request.withBody(toBody(body)) : request
  },

  /**
   * @param received as the client sent it
   * @param resolved the same without references to what the gateway stores
   * @throws {Failure} `unsupported_by_model`, `bad_request` or `body_too_large`
   */
  toCanonical: async (
    owner: BodyOwner,
    { received, resolved }: Record<"received" | "resolved", ModelRequest>,
    format: InboundFormat,
  ): Promise<Omit<ConvertedRequest, "original">> => {
    const chat = received.with({ operation: chatOperation })
    if (!resolved.isLarge) {
      const { request, ...decoded } = format.decodeRequest(resolved.fields)
      return { received, canonical: chat.withFields(request), format, ...decoded }
    }
    const { body, ...decoded } = await thread.run(owner, "toCanonical", toMessage(resolved))
    return { received, canonical: chat.withBody(toBody(body)), format, ...decoded }
  },

  /** Estimates the tokens of a canonical prompt. */
  countTokens: async (owner: BodyOwner, canonical: ModelRequest): Promise<number> =>
    canonical.isLarge
      ? await thread.run(owner, "countTokens", { canonical: canonical.bytes })
      : estimatePromptTokens(canonical.fields),

  /** The body of a canonical prompt in the format of an endpoint. @throws {Failure} */
  encode: (
    owner: BodyOwner,
    canonical: ChangedRequest,
    target: EncodingTarget,
    report: ReportDropped,
  ): Buffer | Promise<Buffer> => {
    if (!canonical.isLarge) {
      const fields = encodeChatRequest(canonical.toFields(), target, report)
      return Buffer.from(JSON.stringify(fields))
    }
    const body = checkParsableSize(canonical.toBytes())
    return thread.run(owner, "encode", { body, target }).then(({ encoded, dropped }) => {
      dropped.forEach(report)
      return toBuffer(encoded)
    })
  },

  /** The ids of the items that a request of the Responses API refers to. @throws {Failure} */
  findReferences: async (owner: BodyOwner, request: ModelRequest): Promise<string[]> => {
    if (!request.isLarge) return findReferences(request.fields.input)
    return thread.run(owner, "findReferences", { bytes: checkParsableSize(request.bytes) })
  },

  /**
   * The request without references to what the gateway stores.
   * @param content what it refers to, with its size as JSON
   * @throws {Failure}
   */
  expandReferences: async (
    owner: BodyOwner,
    request: ModelRequest,
    { content, isStored }: { content: StoredContent & { bytes: number }; isStored: boolean },
  ): Promise<Omit<ExpandedBody, "body"> & { request: ModelRequest }> => {
    if (request.bytes.length + content.bytes <= smallBodyBytes) {
      const options = { isStored, newId: randomUUID }
      const { fields, ...expanded } = expandReferences(request.fields, content, options)
      return { ...expanded, request: request.withFields(fields) }
    }
    const input = { bytes: request.bytes, content, isStored }
    const { body, ...expanded } = await thread.run(owner, "expandReferences", input)
    return { ...expanded, request: request.withBody(toBody(body)) }
  },

  /** The references to files in a request. @throws {Failure} if there are too many */
  findFiles: async (
    owner: BodyOwner,
    request: ModelRequest,
    scope: FileScope,
  ): Promise<FileReference[]> => {
    if (!request.isLarge) return findFileReferences(request.fields, scope)
    return thread.run(owner, "findFiles", { bytes: checkParsableSize(request.bytes), ...scope })
  },

  /** The request with the contents of its files. @throws {Failure} */
  inlineFiles: async (
    owner: BodyOwner,
    request: ModelRequest,
    replacement: FileReplacement,
  ): Promise<ModelRequest> => {
    const body = await thread.run(owner, "inlineFiles", { bytes: request.bytes, ...replacement })
    return request.withBody(toBody(body))
  },

  /** The items of a request of the Responses API, as they are stored. @throws {Failure} */
  serializeItems: async (owner: BodyOwner, request: ModelRequest): Promise<SerializedInput> =>
    request.isLarge
      ? thread.run(owner, "serializeItems", { bytes: checkParsableSize(request.bytes) })
      : serializeInput(toInputItems(request.fields.input), randomUUID),

  /** A large response, as it is stored. @throws {Failure} */
  serializeResponse: (
    owner: BodyOwner,
    bytes: Buffer,
    members: ResponseMembers,
  ): Promise<SerializedResponse> => thread.run(owner, "serializeResponse", { bytes, members }),
})

export type RequestConversion = ReturnType<typeof createRequestConversion>
