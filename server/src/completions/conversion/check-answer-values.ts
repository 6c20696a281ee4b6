import { Failure } from "../../errors.ts"
import { MalformedResponse } from "../../formats/malformed-response.ts"
import { jsonLimitsFor } from "../../http/json-object.ts"
import { JsonScanner } from "../../http/json-scanner.ts"
import { type MessageOrText, translatable } from "../../i18n/message.ts"

/** Characters that are scanned at once. */
const windowLength = 16 * 1024
/** An event is parsed on the event loop. Answers have this many values only if they are whole bodies. */
const maxEventValues = 50_000

const toMalformedResponse = (error: unknown, invalid: MessageOrText): unknown => {
  if (!(error instanceof Failure)) return error
  const isTooLarge = error.code === "body_too_large"
  return new MalformedResponse(isTooLarge ? "it has too many values" : invalid)
}

/** Refuses what takes far longer to parse than any answer. @throws {MalformedResponse} */
export const checkBodyValues = (bytes: Buffer): void => {
  const scanner = new JsonScanner(jsonLimitsFor(bytes.length))
  try {
    scanner.write(bytes)
    scanner.end()
  } catch (error) {
    throw toMalformedResponse(error, translatable("not_a_completion"))
  }
}

/** The same for an event of a stream, in steps. @throws {MalformedResponse} */
export function* checkEventValues(data: string): Generator<"", void> {
  const scanner = new JsonScanner({ ...jsonLimitsFor(data.length), maxValues: maxEventValues })
  try {
    for (let at = 0; at < data.length; at += windowLength) {
      scanner.write(Buffer.from(data.slice(at, at + windowLength)))
      yield ""
    }
    scanner.end()
  } catch (error) {
    throw toMalformedResponse(error, "it has an event that is not a JSON object")
  }
}
