import type { ReportDropped } from "../formats/canonical-request.ts"
import type { InboundFormat } from "../formats/inbound-format.ts"
import { isLarge, type JsonBody, smallBodyBytes } from "../http/body-buffer.ts"
import { readMembers } from "../http/json-members.ts"
import { checkParsableSize, parseAllFields, parseJsonObject } from "../http/json-object.ts"
import type { SerializedInput, SerializedResponse } from "../stored-responses/new-response.ts"
import {
  bodySteps,
  type ExpandedBody,
  encodeCanonical,
  type RequestMessage,
  type ResponseMembers,
} from "./body-steps.ts"
import type { BodyOwner, BodyThread } from "./body-thread.ts"
import type { ConvertedRequest } from "./conversion.ts"
import { type EncodingTarget, encodeChatRequest } from "./encode-chat-request.ts"
import { findReferences, type StoredContent } from "./expand-references.ts"
import {
  type FileContents,
  type FileReference,
  type FileScope,
  findFileReferences,
} from "./file-references.ts"
import { chatOperation } from "./operations/chat.ts"
import type { PassThrough } from "./operations/operation.ts"
import { estimatePromptTokens } from "./prompt-tokens.ts"
import type { ModelRequest } from "./request.ts"
import { toBuffer } from "./thread-bytes.ts"

const toObject = ({ bytes, scan }: JsonBody) => parseJsonObject({ bytes: toBuffer(bytes), scan })

const toMessage = ({ operation, bytes }: ModelRequest): RequestMessage => ({
  operation: operation.name,
  bytes,
})

/** `toPassThrough` for a small request. */
const changeForProvider = (request: ModelRequest, { change }: PassThrough): ModelRequest => {
  const { fields } = parseAllFields(request)
  const changed = change(fields)
  if (changed === fields) return request
  const bytes = Buffer.from(JSON.stringify(changed))
  return { ...request, bytes, members: readMembers(bytes), fields: changed, scanned: null }
}

/** Converts requests: small ones immediately, large ones in a thread. */
export const createRequestConversion = (thread: BodyThread) => ({
  /** The request for a provider that speaks the client's format. @throws {Failure} */
  toPassThrough: async (owner: BodyOwner, request: ModelRequest): Promise<ModelRequest> => {
    const { passThrough } = request.operation
    if (!passThrough?.mayNeedChange(request.bytes, request.fields)) return request
    if (!isLarge(request.bytes)) return changeForProvider(request, passThrough)
    checkParsableSize(request.bytes)
    const body = await thread.run(owner, "passThrough", toMessage(request))
    return body ? { ...request, ...toObject(body) } : request
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
    checkParsableSize(resolved.bytes)
    const { body, dropped, answerContext } = isLarge(resolved.bytes)
      ? await thread.run(owner, "toCanonical", toMessage(resolved))
      : encodeCanonical(format.decodeRequest(resolved.fields))
    const { model, streamed } = received
    return {
      received,
      canonical: { ...toObject(body), operation: chatOperation, model, streamed },
      format,
      dropped,
      answerContext,
    }
  },

  /** Estimates the tokens of a canonical prompt. */
  countTokens: async (owner: BodyOwner, { bytes, fields }: ModelRequest): Promise<number> =>
    isLarge(bytes)
      ? await thread.run(owner, "countTokens", { canonical: bytes })
      : estimatePromptTokens(fields),

  /** The body of a canonical prompt in the format of an endpoint. @throws {Failure} */
  encode: (
    owner: BodyOwner,
    body: Buffer,
    target: EncodingTarget,
    report: ReportDropped,
  ): Buffer | Promise<Buffer> => {
    if (!isLarge(body)) {
      const fields = encodeChatRequest(JSON.parse(body.toString("utf8")), target, report)
      return Buffer.from(JSON.stringify(fields))
    }
    return thread.run(owner, "encode", { body, target }).then(({ encoded, dropped }) => {
      dropped.forEach(report)
      return toBuffer(encoded)
    })
  },

  /** The ids of the items that a request of the Responses API refers to. @throws {Failure} */
  findReferences: async (owner: BodyOwner, request: ModelRequest): Promise<string[]> => {
    if (!isLarge(request.bytes)) return findReferences(request.fields.input)
    checkParsableSize(request.bytes)
    return thread.run(owner, "findReferences", { bytes: request.bytes })
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
    const input = { bytes: request.bytes, content, isStored }
    const { body, ...expanded } =
      request.bytes.length + content.bytes > smallBodyBytes
        ? await thread.run(owner, "expandReferences", input)
        : bodySteps.expandReferences(input)
    return { ...expanded, request: { ...request, ...toObject(body) } }
  },

  /** The references to files in a request. @throws {Failure} if there are too many */
  findFiles: async (
    owner: BodyOwner,
    { bytes, fields }: ModelRequest,
    scope: FileScope,
  ): Promise<FileReference[]> => {
    if (!isLarge(bytes)) return findFileReferences(fields, scope)
    checkParsableSize(bytes)
    return thread.run(owner, "findFiles", { bytes, ...scope })
  },

  /** The request with the contents of its files. @throws {Failure} */
  inlineFiles: async (
    owner: BodyOwner,
    request: ModelRequest,
    replacement: Pick<FileScope, "member"> & { contents: FileContents },
  ): Promise<ModelRequest> => {
    const body = await thread.run(owner, "inlineFiles", { bytes: request.bytes, ...replacement })
    return { ...request, ...toObject(body) }
  },

  /** The items of a large request of the Responses API. @throws {Failure} */
  serializeItems: async (owner: BodyOwner, { bytes }: ModelRequest): Promise<SerializedInput> => {
    checkParsableSize(bytes)
    return thread.run(owner, "serializeItems", { bytes })
  },

  /** A large response, as it is stored. @throws {Failure} */
  serializeResponse: (
    owner: BodyOwner,
    bytes: Buffer,
    members: ResponseMembers,
  ): Promise<SerializedResponse> => thread.run(owner, "serializeResponse", { bytes, members }),
})

export type RequestConversion = ReturnType<typeof createRequestConversion>
