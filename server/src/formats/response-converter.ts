import type { Fields } from "./json-values.ts"

/** Converts one response from one format to another. */
export interface ResponseConverter {
  /**
   * @param data of a server-sent event, or a line of JSON
   * @returns server-sent events, possibly none, in pieces; to be read before the next call. Reading
   *   them converts the event, and throws `MalformedResponse`
   */
  convertEvent(data: string): Iterable<string>
  /** @returns the events that a complete stream still lacks, possibly none, in pieces */
  endStream(): Iterable<string>
  /** @returns JSON. @throws {MalformedResponse} */
  convertBody(body: Fields): string
  /** `convertBody` for a large body, where it holds up nobody; omitted if there is no such place. */
  convertLargeBody?: (bytes: Buffer) => Promise<Buffer>
  /** @returns null if the body is passed on as it is */
  convertError(body: Fields, status: number): Fields | null
}
