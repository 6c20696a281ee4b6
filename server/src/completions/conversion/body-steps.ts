import { randomUUID } from "node:crypto"
import { fail } from "../../errors.ts"
import type { CanonicalRequest } from "../../formats/canonical-request.ts"
import { type Fields, parseObject } from "../../formats/json-values.ts"
import { toInputItems } from "../../formats/responses/to-input-items.ts"
import type { JsonBody } from "../../http/body-buffer.ts"
import { toJsonBody } from "../../http/json-object.ts"
import {
  type SerializedInput,
  type SerializedResponse,
  serializeInput,
  serializeOutput,
} from "../../stored-responses/new-response.ts"
import { operationNamed } from "../operations/registry.ts"
import {
  type ExpandedRequest,
  expandReferences,
  findReferences,
  type StoredContent,
} from "../request/expand-references.ts"
import {
  type FileReference,
  type FileReplacement,
  type FileScope,
  findFileReferences,
  replaceFiles,
} from "../request/file-references.ts"
import { convertAnswer } from "./convert-answer.ts"
import { type EncodingTarget, encodeChatRequest } from "./encode-chat-request.ts"
import { estimatePromptTokens } from "./estimate-prompt-tokens.ts"
import { toBuffer } from "./to-buffer.ts"

/** A request as a message between threads. */
export interface RequestMessage {
  /** The name of the operation. */
  operation: string
  bytes: Uint8Array
}

const parse = (bytes: Uint8Array): Fields => JSON.parse(toBuffer(bytes).toString("utf8"))

/** Members of a response that depend on the gateway. */
export interface ResponseMembers {
  id: string
  previous_response_id: unknown
}

const parseResponse = (bytes: Uint8Array): Fields =>
  parseObject(toBuffer(bytes).toString("utf8")) ??
  fail("upstream_broken", "The provider's response is not valid JSON.")

/** `ExpandedRequest` as a body. */
export type ExpandedBody = Omit<ExpandedRequest, "fields"> & { body: JsonBody }

/** `CanonicalRequest` as a body. */
type CanonicalBody = Omit<CanonicalRequest, "request"> & { body: JsonBody }

const serialize = (fields: Fields): JsonBody => toJsonBody(Buffer.from(JSON.stringify(fields)))

/** What takes long with a large body: whatever parses or serializes it as a whole. */
export const bodySteps = {
  /** The items of a request of the Responses API, as they are stored. @throws {Failure} */
  serializeItems: ({ bytes }: { bytes: Uint8Array }): SerializedInput =>
    serializeInput(toInputItems(parse(bytes).input), randomUUID),

  /** The ids of the items that a request of the Responses API refers to. @throws {Failure} */
  findReferences: ({ bytes }: { bytes: Uint8Array }): string[] =>
    findReferences(parse(bytes).input),

  /** Replaces what a request of the Responses API refers to. @throws {Failure} */
  expandReferences: ({
    bytes,
    content,
    isStored,
  }: {
    bytes: Uint8Array
    content: StoredContent
    isStored: boolean
  }): ExpandedBody => {
    const { fields, ...expanded } = expandReferences(parse(bytes), content, {
      isStored,
      newId: randomUUID,
    })
    return { ...expanded, body: serialize(fields) }
  },

  /** The references to files in a request. @throws {Failure} if there are too many */
  findFiles: (input: FileScope & { bytes: Uint8Array }): FileReference[] =>
    findFileReferences(parse(input.bytes), input),

  /** Replaces references to files by their content. */
  inlineFiles: ({ bytes, ...replacement }: FileReplacement & { bytes: Uint8Array }): JsonBody =>
    serialize(replaceFiles(parse(bytes), replacement)),

  /** A response with other members, as it is stored. @throws {Failure} */
  serializeResponse: ({
    bytes,
    members,
  }: {
    bytes: Uint8Array
    members: ResponseMembers
  }): SerializedResponse => serializeOutput({ ...parseResponse(bytes), ...members }),

  /** @returns null if the request stays as it is */
  passThrough: ({ operation, bytes }: RequestMessage): JsonBody | null => {
    const fields = parse(bytes)
    const passed = operationNamed(operation).passThrough?.change(fields) ?? fields
    return passed === fields ? null : serialize(passed)
  },

  /** @throws {Failure} */
  toCanonical: ({ operation, bytes }: RequestMessage): CanonicalBody => {
    const { format } = operationNamed(operation)
    if (!format) throw new Error(`Requests for ${operation} are not converted.`)
    const { request, ...decoded } = format.decodeRequest(parse(bytes))
    return { ...decoded, body: serialize(request) }
  },

  /** @param canonical a canonical prompt */
  countTokens: ({ canonical }: { canonical: Uint8Array }): number =>
    estimatePromptTokens(parse(canonical)),

  convertAnswer,

  /** @returns the body for an endpoint, and the hints that it lacks. @throws {Failure} */
  encode: ({
    body,
    target,
  }: {
    body: Uint8Array
    target: EncodingTarget
  }): { encoded: Uint8Array; dropped: readonly string[] } => {
    const dropped: string[] = []
    const fields = encodeChatRequest(parse(body), target, (name) => dropped.push(name))
    return { encoded: Buffer.from(JSON.stringify(fields)), dropped }
  },
}

export type BodySteps = typeof bodySteps
