const membersPerChunk = 1000

/** Sorted ids of a group's members, space-separated; null if there are none. */
export interface MemberIds {
  ids: string | null
  count: number
}

/**
 * Members of a group in a response. Creating and serializing 20,000 objects in one step would block
 * the event loop, so the ids stay one string until the response is written in chunks.
 */
export class MemberList {
  readonly count: number
  readonly #ids: string
  readonly #member: Record<string, string>

  constructor({ ids, count }: MemberIds, member: Record<string, string>) {
    this.count = count
    this.#ids = ids ?? ""
    this.#member = member
  }

  /** @param location prefix of a user's URL */
  static of(members: MemberIds, location: string): MemberList {
    return new MemberList(members, { value: "\0", $ref: `${location}\0`, type: "User" })
  }

  /** The same list with a subset of each member's sub-attributes. */
  pick(keep: (part: string) => boolean): MemberList {
    const member = Object.fromEntries(Object.entries(this.#member).filter(([part]) => keep(part)))
    return new MemberList({ ids: this.#ids, count: this.count }, member)
  }

  /** The list as JSON, in chunks. */
  *chunks(): Generator<string> {
    const template = JSON.stringify(this.#member).split("\\u0000")
    let before = "["
    for (let from = 0; from < this.#ids.length; ) {
      const to = this.#endOfPiece(from)
      const ids = this.#ids.slice(from, to).split(" ")
      yield before + ids.map((id) => template.join(id)).join(",")
      before = ","
      from = to + 1
    }
    yield this.#ids === "" ? "[]" : "]"
  }

  #endOfPiece(from: number): number {
    let end = from
    for (let member = 0; member < membersPerChunk; member++) {
      end = this.#ids.indexOf(" ", end + 1)
      if (end < 0) return this.#ids.length
    }
    return end
  }
}
