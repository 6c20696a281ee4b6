import type { Chooser } from "./random.ts"

/** Characters that trigger edge cases in parsers. */
const oddBytes: readonly [number, ...number[]] = [
  ...([0x0d, 0x0a, 0x20, 0x09, 0x00, 0x0b, 0x0c, 0x7f] as const),
  ...[0x3a, 0x2c, 0x3b, 0x22, 0x5c, 0x30, 0x66, 0x58, 0x80, 0x85, 0xa0, 0xff],
]

const changeOne = (random: Chooser, bytes: Buffer): Buffer => {
  const at = random.below(bytes.length + 1)
  const before = bytes.subarray(0, at)
  const length = 1 + random.below(random.chance(0.8) ? 2 : 24)
  switch (random.below(4)) {
    case 0:
      return Buffer.concat([before, Buffer.of(random.pick(oddBytes)), bytes.subarray(at)])
    case 1:
      return Buffer.concat([before, Buffer.of(random.pick(oddBytes)), bytes.subarray(at + 1)])
    case 2:
      return Buffer.concat([before, bytes.subarray(at + length)])
    default: {
      const from = random.below(bytes.length + 1)
      return Buffer.concat([before, bytes.subarray(from, from + length), bytes.subarray(at)])
    }
  }
}

/** Applies up to three mutations: inserts, replaces or deletes a byte, or duplicates a piece. */
export const mutate = (random: Chooser, bytes: Buffer): Buffer => {
  let mutated = bytes
  for (let left = 1 + random.below(3); left > 0; left--) mutated = changeOne(random, mutated)
  return mutated
}

/** Splits bytes at random, as they may arrive on a connection. */
export const cut = (random: Chooser, bytes: Buffer): Buffer[] => {
  if (random.chance(0.3)) return [bytes]
  const longest = random.pick([1, 7, 40, 400, bytes.length, bytes.length])
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const to = at + 1 + random.below(longest)
    pieces.push(bytes.subarray(at, to))
    at = to
  }
  return pieces
}
