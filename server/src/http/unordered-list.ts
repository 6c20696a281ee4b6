interface ListSlot<T> {
  member: T | null
  index: number
}

/**
 * A list for frequent additions and removals. A Set keeps removed members, and the requests they
 * reference, reachable from the garbage collector's old generation until it is rehashed; this list
 * does not.
 */
export class UnorderedList<T> implements Iterable<T> {
  readonly #places: ListSlot<T>[] = []

  get size(): number {
    return this.#places.length
  }

  /** @returns removes the member; further calls have no effect */
  add(member: T): () => void {
    const place: ListSlot<T> = { member, index: this.#places.length }
    this.#places.push(place)
    return () => this.#leave(place)
  }

  /** Iterates over the current members; members removed meanwhile are skipped. */
  *[Symbol.iterator](): Iterator<T> {
    for (const { member } of [...this.#places]) if (member !== null) yield member
  }

  #leave(place: ListSlot<T>): void {
    if (place.member === null) return
    place.member = null
    const last = this.#places.pop()
    if (last === undefined || last === place) return
    last.index = place.index
    this.#places[place.index] = last
  }
}
