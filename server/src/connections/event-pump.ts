import { pieceLength } from "../formats/json-pieces.ts"
import type { ResponseConverter } from "../formats/response-converter.ts"
import { smallBodyBytes } from "../http/body-buffer.ts"
import { checkEventValues } from "./answer-values.ts"

/** Others wait for this long while a large stream is converted. */
const turnMs = 5
/** Pieces between two looks at the clock. */
const piecesPerLook = 16

/** Converts events as its pieces are read. */
export function* convertEvents(
  converter: ResponseConverter,
  events: readonly string[],
): Generator<string> {
  for (const data of events) {
    if (data.length > smallBodyBytes) yield* checkEventValues(data)
    yield* converter.convertEvent(data)
  }
}

interface Deps {
  /** @returns false if the receiver is full */
  pass: (text: string) => boolean
  /** Continues in another turn. */
  wait: () => void
}

/** Passes on the pieces of converted events, in turns that are not long. */
export class EventPump {
  readonly #deps: Deps
  #queue: Generator<string>[] = []
  /** Whether the rest waits for a turn. */
  isWaiting = false
  /** Whether the receiver took the last piece of this turn. */
  #isReady = true

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** @returns false if the source is to pause. @throws what the conversion throws */
  push(pieces: Generator<string>): boolean {
    this.#queue.push(pieces)
    return this.isWaiting ? false : this.run()
  }

  /** What waits is dropped. */
  clear(): void {
    this.#queue = []
  }

  run(): boolean {
    this.isWaiting = false
    this.#isReady = true
    const end = performance.now() + turnMs
    let text = ""
    let count = 0
    try {
      for (let piece = this.#next(); piece !== null; piece = this.#next()) {
        text += piece
        if (text.length < pieceLength && ++count % piecesPerLook > 0) continue
        if (performance.now() < end && text.length < 4 * pieceLength) continue
        this.#pass(text)
        text = ""
        if (performance.now() < end) continue
        this.isWaiting = true
        this.#deps.wait()
        return false
      }
    } catch (error) {
      this.clear()
      throw error
    } finally {
      // What precedes an unreadable event belongs to the answer.
      this.#pass(text)
    }
    return this.#isReady
  }

  #pass(text: string): void {
    if (text !== "") this.#isReady = this.#deps.pass(text)
  }

  #next(): string | null {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const { done, value } = first.next()
      if (done !== true) return value
      this.#queue.shift()
    }
    return null
  }
}
