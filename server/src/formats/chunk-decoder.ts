import { type ServerSentEvent, SseDecoder } from "@portico/sse"
import { parseErrorObject } from "./error-body.ts"
import type { Chunk } from "./response-converter.ts"

const chunkOf = ({ data }: ServerSentEvent): Chunk[] => {
  if (data === "[DONE]") return [null]
  const chunk = parseErrorObject(data)
  return chunk ? [chunk] : []
}

/** Decodes the stream of a chat completion. Events that are no objects are skipped. */
export class ChunkDecoder {
  readonly #decoder = new SseDecoder()

  /** @returns the chunks that the bytes complete. @throws {EventTooLargeError} */
  push(bytes: Buffer): Chunk[] {
    return this.#decoder.push(bytes).flatMap(chunkOf)
  }

  /** Includes a last event without its blank line. */
  end(): Chunk[] {
    return this.#decoder.end().flatMap(chunkOf)
  }
}
