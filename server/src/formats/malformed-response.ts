/** Thrown by a response listener. The message continues a sentence about the provider. */
export class MalformedResponse extends Error {
  override readonly name = "MalformedResponse"
}
