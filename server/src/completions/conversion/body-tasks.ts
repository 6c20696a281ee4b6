import { randomUUID } from "node:crypto"
import type { Fields } from "../../formats/json-values.ts"
import { toInputItems } from "../../formats/responses/to-input-items.ts"
import {
  type SerializedInput,
  type SerializedResponse,
  serializeInput,
  serializeOutput,
} from "../../stored-responses/serialize-response.ts"
import { operationNamed } from "../operations/registry.ts"
import {
  type ExpandedRequest,
  expandReferences,
  findReferences,
  type StoredContent,
} from "../references/expand-references.ts"
import {
  type FileReplacement,
  findFileReferences,
  replaceFiles,
} from "../references/file-references.ts"
import { type EncodingTarget, encodeForProvider } from "./encode-for-provider.ts"
import { estimatePromptTokens } from "./estimate-prompt-tokens.ts"

/** Reads or changes a body that is parsed as a whole. Both input and result can pass to a thread. */
export type BodyTask<Input, Result> = (fields: Fields, input: Input) => Result

/** The result of a task that changes a body; null if it stays as it is. */
export interface ChangedFields {
  fields: Fields | null
}

/** Members of a response that depend on the gateway. */
export interface ResponseMembers {
  id: string
  previous_response_id: unknown
}

/** What takes long with a large body. `operation` is the name of the request's operation. */
export const bodyTasks = {
  /** The items of a request of the Responses API, as they are stored. @throws {Failure} */
  serializeItems: ({ input }: Fields): SerializedInput =>
    serializeInput(toInputItems(input), randomUUID),

  /** The ids of the items that a request of the Responses API refers to. @throws {Failure} */
  findReferences: ({ input }: Fields): string[] => findReferences(input),

  /** Replaces what a request of the Responses API refers to. @throws {Failure} */
  expandReferences: (
    fields: Fields,
    { content, isStored }: { content: StoredContent; isStored: boolean },
  ): ExpandedRequest => expandReferences(fields, content, { isStored, newId: randomUUID }),

  /** The references to files in a request. @throws {Failure} if there are too many */
  findFiles: findFileReferences,

  /** Replaces references to files by their content. */
  inlineFiles: (fields: Fields, replacement: FileReplacement): ChangedFields => ({
    fields: replaceFiles(fields, replacement),
  }),

  /** The request for a provider that speaks the client's format. */
  passThrough: (fields: Fields, operation: string): ChangedFields => {
    const passed = operationNamed(operation).passThrough?.change(fields) ?? fields
    return { fields: passed === fields ? null : passed }
  },

  /** Converts a request to a canonical prompt. @throws {Failure} */
  toCanonical: (fields: Fields, operation: string) => {
    const { format } = operationNamed(operation)
    if (!format) throw new Error(`Requests for ${operation} are not converted.`)
    const { request, ...decoded } = format.decodeRequest(fields)
    return { ...decoded, fields: request }
  },

  /** Estimates the tokens of a canonical prompt. */
  countTokens: estimatePromptTokens,

  /** The body of a canonical prompt for an endpoint, and the hints that it lacks. @throws {Failure} */
  encode: (canonical: Fields, target: EncodingTarget) => {
    const dropped: string[] = []
    const fields = encodeForProvider(canonical, target, (name) => dropped.push(name))
    const encoded: Uint8Array = Buffer.from(JSON.stringify(fields))
    return { encoded, dropped }
  },

  /** A response with other members, as it is stored. @throws {Failure} */
  serializeResponse: (response: Fields, members: ResponseMembers): SerializedResponse =>
    serializeOutput({ ...response, ...members }),
}
