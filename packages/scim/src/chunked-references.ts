const referencesPerChunk = 1000
/** Placeholder for the id in the template of a reference; `JSON.stringify` escapes it. */
const idPlaceholder = "\0"

/** Sorted ids, space-separated; null if there are none. */
export interface ReferenceIds {
  ids: string | null
  count: number
}

/**
 * References to resources in a response, such as the members of a group. Creating and serializing
 * 20,000 objects in one step would block the event loop, so the ids stay one string until the
 * response is written in chunks.
 */
export class ChunkedReferences {
  readonly count: number
  readonly #ids: string
  readonly #template: Record<string, string>

  private constructor({ ids, count }: ReferenceIds, template: Record<string, string>) {
    this.count = count
    this.#ids = ids ?? ""
    this.#template = template
  }

  /** @param target type of the referenced resources, and the prefix of their URLs */
  static of(ids: ReferenceIds, { type, location }: { type: string; location: string }) {
    const $ref = `${location}${idPlaceholder}`
    return new ChunkedReferences(ids, { value: idPlaceholder, $ref, type })
  }

  /** The same list with a subset of each reference's sub-attributes. */
  pick(keep: (part: string) => boolean): ChunkedReferences {
    const parts = Object.entries(this.#template).filter(([part]) => keep(part))
    return new ChunkedReferences({ ids: this.#ids, count: this.count }, Object.fromEntries(parts))
  }

  /** The list as JSON, in chunks. */
  *chunks(): Generator<string> {
    const template = JSON.stringify(this.#template).split(
      JSON.stringify(idPlaceholder).slice(1, -1),
    )
    let before = "["
    for (let from = 0; from < this.#ids.length; ) {
      const to = this.#endOfChunk(from)
      const ids = this.#ids.slice(from, to).split(" ")
      yield before + ids.map((id) => template.join(id)).join(",")
      before = ","
      from = to + 1
    }
    yield this.#ids === "" ? "[]" : "]"
  }

  #endOfChunk(from: number): number {
    let end = from
    for (let reference = 0; reference < referencesPerChunk; reference++) {
      end = this.#ids.indexOf(" ", end + 1)
      if (end < 0) return this.#ids.length
    }
    return end
  }
}
