import { type MessageOrText, toText } from "../i18n/message.ts"

/** Thrown by a response listener. The message continues a sentence about the provider. */
export class MalformedResponse extends Error {
  override readonly name = "MalformedResponse"
  readonly reason: MessageOrText

  constructor(reason: MessageOrText, options?: ErrorOptions) {
    super(toText(reason), options)
    this.reason = reason
  }
}
