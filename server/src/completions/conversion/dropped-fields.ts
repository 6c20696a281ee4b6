const headerName = "x-portico-dropped"
const maxNames = 50

/** Names come from clients. */
const toHeaderValue = (names: Iterable<string>): string =>
  [...names]
    .slice(0, maxNames)
    .map((name) => name.slice(0, 100).replaceAll(/[^\w.-]/g, "_"))
    .join(", ")

/** What is left out of a request or its answer as they are converted, to be named in the response. */
export class DroppedFields {
  readonly #ofRequest: readonly string[]
  #ofAttempt: Set<string> | null = null
  #isUnchanged = false

  /** @param ofRequest what the canonical prompt lacks */
  constructor(ofRequest: readonly string[]) {
    this.#ofRequest = ofRequest
  }

  /** Begins another attempt, which may leave out other fields than the one before. */
  startAttempt(): (name: string) => void {
    const ofAttempt = new Set<string>()
    this.#isUnchanged = false
    this.#ofAttempt = ofAttempt
    return (name) => void ofAttempt.add(name)
  }

  /** Begins an attempt that sends the client's request as it is. */
  startUnchangedAttempt(): void {
    this.#isUnchanged = true
  }

  /** Adds what the answer to the present attempt loses. */
  readonly reportAnswer = (name: string): void => {
    this.#ofAttempt ??= new Set()
    this.#ofAttempt.add(name)
  }

  /** Adds the header, if anything was left out; `headers` alternates names and values. */
  addHeader(headers: string[]): void {
    if (this.#isUnchanged) return
    const names = new Set([...this.#ofRequest, ...(this.#ofAttempt ?? [])])
    if (names.size > 0) headers.push(headerName, toHeaderValue(names))
  }
}
