import { type Fields, isObject, parseObject } from "./json-values.ts"
import { MalformedResponse } from "./malformed-response.ts"
import { ProviderError } from "./provider-error.ts"
import { type EventText, encodeEach } from "./sse-events.ts"

/** A chunk of a streamed chat completion; null ends the stream. */
export type Chunk = Fields | null

/** Reads one response in a provider's own format as a chat completion. */
export interface AnswerDecoder {
  /** @throws {MalformedResponse | ProviderError} */
  decodeEvent(event: Fields): readonly Chunk[]
  /** @throws {MalformedResponse | ProviderError} */
  decodeBody(body: Fields): Fields
  /** @returns an error of OpenAI's API; null if the body is no error of the format */
  decodeError(body: Fields): Fields | null
}

/** Formats one chat completion for a client. */
export interface CompletionEncoder {
  /** @returns server-sent events. @throws {MalformedResponse | ProviderError} */
  encodeChunk(chunk: Chunk): EventText
  /** @returns the events that a complete stream still lacks */
  endStream(): EventText
  /** @returns JSON. @throws {MalformedResponse | ProviderError} */
  encodeBody(completion: Fields): string
  /** Null if errors are passed on as they are. */
  encodeError: ((body: Fields, status: number) => Fields) | null
}

/** Converts one response from a provider's format to the client's, with chat completions in between. */
export interface ResponseConverter {
  /** Whether what arrives as bytes is passed on as it is. */
  passesBytesUnchanged: boolean
  /**
   * @param data of a server-sent event, or a line of JSON
   * @throws {MalformedResponse} also while its pieces are read
   */
  convertEvent(data: string): EventText
  /** For what was read from an event. @throws {MalformedResponse | ProviderError} */
  encodeChunk(chunk: Chunk): EventText
  /** @returns the events that a complete stream still lacks */
  endStream(): EventText
  /** @returns JSON. @throws {MalformedResponse} */
  convertBody(body: Fields): string
  /** `convertBody` for a large body, where it holds up nobody; omitted if there is no such place. */
  convertLargeBody?: (bytes: Buffer) => Promise<Buffer>
  /** @returns null if the body is passed on as it is */
  convertError(body: Fields, status: number): Fields | null
}

const parseEvent = (data: string): Fields => {
  const event = parseObject(data)
  if (!event) throw new MalformedResponse("it has an event that is not a JSON object")
  return event
}

/** @param decoder null if the provider speaks chat completions */
export const createFormatConverter = (
  decoder: AnswerDecoder | null,
  encoder: CompletionEncoder,
): ResponseConverter => {
  const { encodeError } = encoder
  let isComplete = false
  /** Errors that a provider reports reach the client in its format. */
  const decode = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ProviderError && encodeError)) throw error
      throw error.withBody(encodeError(error.body, error.status))
    }
  }
  /** A stream that ends with an error has no terminator. */
  const isLast = (chunk: Chunk): boolean => chunk === null || isObject(chunk.error)

  return {
    passesBytesUnchanged: false,
    convertEvent: (data) => {
      if (!decoder) return encoder.encodeChunk(data === "[DONE]" ? null : parseEvent(data))
      if (isComplete) return ""
      const event = parseEvent(data)
      const chunks = decode(() => decoder.decodeEvent(event))
      isComplete = chunks.some(isLast)
      return encodeEach(chunks, encoder.encodeChunk)
    },
    encodeChunk: encoder.encodeChunk,
    endStream: encoder.endStream,
    convertBody: (body) =>
      encoder.encodeBody(decoder ? decode(() => decoder.decodeBody(body)) : body),
    convertError: (body, status) => {
      const decoded = decoder?.decodeError(body) ?? null
      return encodeError ? encodeError(decoded ?? body, status) : decoded
    },
  }
}
