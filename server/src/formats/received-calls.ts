import { type Fields, isObject, textOf } from "./json-values.ts"
import type { ReceivedBlock } from "./received-block.ts"
import { createCallId } from "./tool-arguments.ts"

/** Finds out which tool call of a streamed answer each piece belongs to. */
export class ReceivedCalls {
  readonly #callByIndex = new Map<unknown, { id: string; received: ReceivedBlock }>()
  readonly #ids = new Set([""])

  /**
   * A call with another id is another call, even if it has the same index or none. Without ids,
   * another name shows it, unless arguments are incomplete. Null if the piece begins a call.
   */
  find({ index, id, function: called }: Fields): ReceivedBlock | null {
    const known = this.#callByIndex.get(index)
    if (!known) return null
    const name = isObject(called) ? textOf(called.name) : ""
    if (name === "") return known.received
    if (textOf(id) !== "") return id === known.id ? known.received : null
    const { block, args } = known.received
    const isBetweenCalls = args.isComplete || args.isEmpty
    const isOther = block.kind === "tool" && block.name !== name && isBetweenCalls
    return isOther ? null : known.received
  }

  /** Its id, unless that is missing or another call's: some servers use the name of the tool. */
  toUniqueId({ id }: Fields): string {
    const own = textOf(id)
    const isUnique = !this.#ids.has(own)
    this.#ids.add(own)
    return isUnique ? own : createCallId()
  }

  /** Remembers to which block further pieces belong. */
  set({ index, id }: Fields, received: ReceivedBlock): void {
    const known = this.#callByIndex.get(index)
    this.#callByIndex.set(index, { id: textOf(id) || (known?.id ?? ""), received })
  }
}
