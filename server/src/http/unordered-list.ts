interface ListSlot<T> {
  member: T | null
  index: number
}

/**
 * Members that come and go all the time. A Set would keep those that left within reach of the
 * collector's old generation until it is rebuilt, and each request with them; here nothing is left.
 */
export class UnorderedList<T> implements Iterable<T> {
  readonly #places: ListSlot<T>[] = []

  get size(): number {
    return this.#places.length
  }

  /** @returns how to leave, once */
  add(member: T): () => void {
    const place: ListSlot<T> = { member, index: this.#places.length }
    this.#places.push(place)
    return () => this.#leave(place)
  }

  /** Those who are in now; who leaves meanwhile does not disturb. */
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
