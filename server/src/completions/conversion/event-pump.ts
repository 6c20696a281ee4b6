import { pieceLength } from "../../formats/json-pieces.ts"
import type { Chunk, ResponseConverter } from "../../formats/response-converter.ts"
import type { EventText } from "../../formats/sse-events.ts"
import { smallBodyBytes } from "../../http/body-buffer.ts"
import { checkEventValues } from "./check-answer-values.ts"

/** Others wait for this long while a large stream is converted. */
const turnMs = 5
/** Pieces between two looks at the clock. */
const piecesPerLook = 16
/** Characters that are passed on together, unless the clock is looked at before. */
const passedLength = 4 * pieceLength

interface Deps {
  converter: ResponseConverter
  /** @returns false if the receiver is full */
  pass: (text: string) => boolean
  /** Continues in another turn. */
  wait: () => void
}

/** The data of an event, or the chunk of a chat completion that was read from it. */
export type StreamedPiece = string | Chunk

/** Converts the events of a stream and passes them on, in turns that are not long. */
export class EventPump {
  readonly #deps: Deps
  #events: readonly StreamedPiece[] = []
  /** The next of the events. */
  #at = 0
  /** Of a large event. */
  #pieces: Generator<string> | null = null
  #isEnding = false
  /** Whether the rest waits for a turn. */
  isWaiting = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** @returns false if the source is to pause. @throws what the conversion throws */
  push(events: readonly StreamedPiece[]): boolean {
    const waiting = this.#events.slice(this.#at)
    this.#events = waiting.length > 0 ? [...waiting, ...events] : events
    this.#at = 0
    return !this.isWaiting && this.run()
  }

  /** Converts the last events, and what the stream lacks. */
  end(events: readonly string[]): boolean {
    this.#isEnding = true
    return this.push(events)
  }

  run(): boolean {
    this.isWaiting = false
    let turnEnd = Number.POSITIVE_INFINITY
    let canContinue = true
    let text = ""
    let count = 0
    try {
      for (let piece = this.#next(); piece !== null; piece = this.#next()) {
        text += piece
        if (++count % piecesPerLook > 0 && text.length < passedLength) continue
        const now = performance.now()
        turnEnd = Math.min(turnEnd, now + turnMs)
        if (now < turnEnd && text.length < passedLength) continue
        canContinue = this.#pass(text)
        text = ""
        if (now < turnEnd) continue
        this.isWaiting = true
        this.#deps.wait()
        return false
      }
    } catch (error) {
      this.#events = []
      this.#pieces = null
      throw error
    } finally {
      // What precedes an unreadable event belongs to the answer.
      canContinue = this.#pass(text) && canContinue
    }
    return canContinue
  }

  #pass(text: string): boolean {
    return text === "" || this.#deps.pass(text)
  }

  /** @returns null if nothing is left */
  #next(): string | null {
    if (this.#pieces) {
      const { done, value } = this.#pieces.next()
      if (done !== true) return value
      this.#pieces = null
    }
    const event = this.#events[this.#at++]
    if (event !== undefined) return this.#begin(this.#convert(event))
    this.#events = []
    this.#at = 0
    if (!this.#isEnding) return null
    this.#isEnding = false
    return this.#begin(this.#deps.converter.endStream())
  }

  #convert(event: StreamedPiece): EventText {
    const { converter } = this.#deps
    if (typeof event !== "string") return converter.encodeChunk(event)
    return event.length > smallBodyBytes
      ? convertLargeEvent(converter, event)
      : converter.convertEvent(event)
  }

  #begin(text: EventText): string {
    if (typeof text === "string") return text
    this.#pieces = text
    return ""
  }
}

function* convertLargeEvent(converter: ResponseConverter, data: string): Generator<string> {
  yield* checkEventValues(data)
  const text = converter.convertEvent(data)
  if (typeof text === "string") yield text
  else yield* text
}
