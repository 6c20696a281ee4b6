/** So that no piece takes long to write or to pass on. */
export const pieceLength = 16 * 1024

/** @returns how much room a value of this JSON leaves, roughly; negative if it does not fit */
const roomLeft = (value: unknown, room: number): number => {
  if (typeof value === "string") return room - value.length
  if (typeof value !== "object" || value === null) return room - 8
  let left = room
  for (const key in value) {
    left = roomLeft(Reflect.get(value, key), left - key.length - 4)
    if (left < 0) return left
  }
  return left
}

/** Splits a text, but not within a character that consists of two code units. */
export const splitText = (text: string): string[] => {
  if (text.length <= pieceLength) return [text]
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const isWithinCharacter = (text.codePointAt(from + pieceLength - 1) ?? 0) > 0xffff
    const end = from + pieceLength + (isWithinCharacter ? 1 : 0)
    pieces.push(text.slice(from, end))
    from = end
  }
  return pieces
}

function* textPieces(text: string): Generator<string> {
  yield '"'
  for (const piece of splitText(text)) yield JSON.stringify(piece).slice(1, -1)
  yield '"'
}

/** Writes a JSON value like `JSON.stringify`, in pieces of which none is much longer than others. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (roomLeft(value, pieceLength) >= 0) {
    yield JSON.stringify(value)
    return
  }
  if (typeof value === "string") yield* textPieces(value)
  else if (Array.isArray(value)) {
    yield "["
    for (const [at, item] of value.entries()) {
      if (at > 0) yield ","
      yield* jsonPieces(item)
    }
    yield "]"
  } else yield* memberPieces(Object.entries(value ?? {}))
}

function* memberPieces(members: readonly [string, unknown][]): Generator<string> {
  let separator = "{"
  for (const [name, member] of members) {
    if (member === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* jsonPieces(member)
    separator = ","
  }
  yield separator === "{" ? "{}" : "}"
}
