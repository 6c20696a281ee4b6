/**
 * What became of a request whose provider broke its reply. `right`: it says what it was asked to.
 * `other`: it was told as a success, and says something else. `error`: it says that it failed, and
 * how. `cut`: it had begun as a success, and its connection was closed before its end.
 */
export interface Outcome {
  kind: "right" | "other" | "error" | "cut"
  /** Everything that was said, for who looks into a problem. */
  text: string
  /** Where it failed: what a person is told. */
  message?: string
  /** Whether an error's words are the provider's own, which the gateway only passes on. */
  isOwn?: boolean
}

/** What words of a program's own insides look like. */
const insides =
  /Cannot read|is not a function|is not iterable|undefined|\[object |Unexpected token|at \w+ \(|\.ts:\d|Error:|ZodError|invalid_type/

const shortest = 12

/** What is wrong with the words of an error, if anything is. */
export const unclear = ({ message = "", isOwn }: Outcome): string | null => {
  if (isOwn) return null
  if (message.length < shortest) return `has no words for what went wrong: "${message}"`
  if (insides.test(message)) return `speaks of the program's insides: "${message.slice(0, 300)}"`
  return null
}
