import { fail } from "../errors.ts"
import type { ReserveMemory } from "../http/body-memory.ts"

/** What a request refers to: a history, or the items of its references, each as often as it occurs. */
export interface ReadAmount {
  items: number
  /** As JSON. */
  bytes: number
}

export interface ReadLimits extends ReadAmount {
  /** Objects, arrays and scalars, at every level, as in a body. */
  values: number
}

const defaultLimits: ReadLimits = { items: 20_000, bytes: 16_000_000, values: 2_000_000 }

/**
 * Bounds the stored items that one request expands to: its history and the items that it refers to
 * together. Their memory is reserved before they are read.
 */
export class ReadBudget {
  readonly #limits: ReadLimits
  readonly #reserve: ReserveMemory
  #items = 0
  #bytes = 0
  #values = 0

  constructor(reserve: ReserveMemory = () => {}, limits: ReadLimits = defaultLimits) {
    this.#reserve = reserve
    this.#limits = limits
  }

  /** Call before items are read. @throws {Failure} `bad_request`, or that of `reserve` */
  reserve({ items, bytes }: ReadAmount, param: string): void {
    this.#items += items
    this.#bytes += bytes
    if (this.#items > this.#limits.items) this.#failTooMany(`${this.#limits.items} items`, param)
    if (this.#bytes > this.#limits.bytes) this.#failTooMany(`${this.#limits.bytes} bytes`, param)
    this.#reserve(bytes)
  }

  /** @throws {Failure} `bad_request` */
  countValues(values: number, param: string): void {
    this.#values += values
    if (this.#values > this.#limits.values)
      this.#failTooMany(`${this.#limits.values} values`, param)
  }

  #failTooMany(maximum: string, param: string): void {
    const what = "The conversation and the items that the request refers to"
    const solution = "Start a new conversation, or refer to fewer items."
    fail("bad_request", `${what} exceed ${maximum} in total. ${solution}`, { param })
  }
}
