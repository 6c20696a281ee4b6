/**
 * Outcome of a request whose provider sent a broken reply. `right`: the expected content. `other`:
 * reported as a success, with other content. `error`: reported as an error, with a message. `cut`:
 * began as a success, but the connection was closed before the end.
 */
export interface Outcome {
  kind: "right" | "other" | "error" | "cut"
  /** The full response, for diagnosis. */
  text: string
  /** The error message shown to a person. */
  message?: string
  /** Whether the message is the provider's own, passed on unchanged. */
  isOwn?: boolean
}

/** Signs that a message exposes implementation details. */
const insides =
  /Cannot read|is not a function|is not iterable|undefined|\[object |Unexpected token|at \w+ \(|\.ts:\d|Error:|ZodError|invalid_type/

const shortest = 12

/** Describes why an error message is unclear; null if it is clear. */
export const unclear = ({ message = "", isOwn }: Outcome): string | null => {
  if (isOwn) return null
  if (message.length < shortest) return `has no useful error message: "${message}"`
  if (insides.test(message)) return `exposes implementation details: "${message.slice(0, 300)}"`
  return null
}
