import type { Fields } from "./json-values.ts"
import type { EventText } from "./sse-events.ts"

/** Converts one response from one format to another. */
export interface ResponseConverter {
  /**
   * @param data of a server-sent event, or a line of JSON
   * @throws {MalformedResponse} also while its pieces are read
   */
  convertEvent(data: string): EventText
  /** @returns the events that a complete stream still lacks */
  endStream(): EventText
  /** @returns JSON. @throws {MalformedResponse} */
  convertBody(body: Fields): string
  /** `convertBody` for a large body, where it holds up nobody; omitted if there is no such place. */
  convertLargeBody?: (bytes: Buffer) => Promise<Buffer>
  /** @returns null if the body is passed on as it is */
  convertError(body: Fields, status: number): Fields | null
}
