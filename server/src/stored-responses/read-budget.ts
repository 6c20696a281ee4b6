import { fail } from "../errors.ts"
import type { ReserveMemory } from "../http/body-memory.ts"

/** What a request refers to: a history, or the items of its references, each as often as it occurs. */
interface ReadAmount {
  items: number
  /** As JSON. */
  bytes: number
}

const defaultLimits: ReadAmount = { items: 20_000, bytes: 16_000_000 }

/**
 * Bounds the stored items that one request expands to: its history and the items that it refers to
 * together. Their memory is reserved before they are read.
 */
export class ReadBudget {
  readonly #limits: ReadAmount
  readonly #reserve: ReserveMemory
  #items = 0
  #bytes = 0

  constructor(reserve: ReserveMemory = () => {}, limits: ReadAmount = defaultLimits) {
    this.#reserve = reserve
    this.#limits = limits
  }

  /** What was reserved, as JSON. */
  get bytes(): number {
    return this.#bytes
  }

  /** Call before items are read. @throws {Failure} `bad_request`, or that of `reserve` */
  reserve({ items, bytes }: ReadAmount, param: string): void {
    this.#items += items
    this.#bytes += bytes
    if (this.#items > this.#limits.items) this.#failTooMany(`${this.#limits.items} items`, param)
    if (this.#bytes > this.#limits.bytes) this.#failTooMany(`${this.#limits.bytes} bytes`, param)
    this.#reserve(bytes)
  }

  #failTooMany(maximum: string, param: string): void {
    const what = "The conversation and the items that the request refers to"
    const solution = "Start a new conversation, or refer to fewer items."
    fail("bad_request", `${what} exceed ${maximum} in total. ${solution}`, { param })
  }
}
