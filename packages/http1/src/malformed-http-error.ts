/** The response is not valid HTTP/1.1, or its length is ambiguous. */
export class MalformedHttpError extends Error {
  override readonly name = "MalformedHttpError"
}
