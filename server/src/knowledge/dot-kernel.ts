/**
 * A WebAssembly module of one function, written by hand so that nothing has to be built:
 * `dots(query, vectors, width, count, out)` writes the dot product of an int8 query with each of
 * `count` int8 vectors as int32. All addresses are in bytes; `width` is a multiple of 16.
 */
const i32 = 0x7f
const v128 = 0x7b
const [query, vectors, width, count, out, at, end, sum] = [0, 1, 2, 3, 4, 5, 6, 7]

/** Unsigned LEB128. */
const leb = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]
const section = (id: number, body: number[]): number[] => [id, ...leb(body.length), ...body]
const text = (name: string): number[] => [name.length, ...Buffer.from(name)]

const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const constant = (value: number): number[] => [0x41, value]
const add = [0x6a]
const simd = (operation: number): number[] => [0xfd, ...leb(operation)]
const load = [...simd(0x00), 0x00, 0x00]
const lane = (index: number): number[] => [...get(sum), ...simd(0x1b), index]

/** Eight products of one half of both operands, added in pairs. */
const half = (extend: number): number[] => [
  ...[...get(at), ...load, ...simd(extend)],
  ...[...get(vectors), ...load, ...simd(extend)],
  ...simd(0xba), // i32x4.dot_i16x8_s
]
const extendLow = 0x87
const extendHigh = 0x88
const addLanes = simd(0xae)
const step = (local: number, by: number[]): number[] => [
  ...get(local),
  ...by,
  ...add,
  ...set(local),
]

const body = [
  ...[0x02, 0x40, 0x03, 0x40], // block, loop: one vector a turn
  ...[...get(count), 0x45, 0x0d, 0x01], // leave when none is left
  ...[...simd(0x0c), ...Array<number>(16).fill(0), ...set(sum)],
  ...[...get(query), ...set(at)],
  ...[...get(vectors), ...get(width), ...add, ...set(end)],
  ...[0x03, 0x40], // loop: 16 components a turn
  ...[...get(sum), ...half(extendLow), ...addLanes, ...half(extendHigh), ...addLanes, ...set(sum)],
  ...step(at, constant(16)),
  ...step(vectors, constant(16)),
  ...[...get(vectors), ...get(end), 0x49, 0x0d, 0x00], // on while below the end
  0x0b,
  ...[...get(out), ...lane(0), ...lane(1), ...add, ...lane(2), ...add, ...lane(3), ...add],
  ...[0x36, 0x02, 0x00], // i32.store
  ...step(out, constant(4)),
  ...[...get(count), ...constant(1), 0x6b, ...set(count)],
  ...[0x0c, 0x00, 0x0b, 0x0b, 0x0b],
]
const locals = [2, 2, i32, 1, v128]
const code = [...locals, ...body]

const bytes = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...section(1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]),
  ...section(2, [1, ...text("e"), ...text("m"), 0x02, 0x00, 0x01]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...text("dots"), 0x00, 0]),
  ...section(10, [1, ...leb(code.length), ...code]),
])

export type Dots = (
  query: number,
  vectors: number,
  width: number,
  count: number,
  out: number,
) => void

/** The kernel over a memory. */
export const createDots = (memory: WebAssembly.Memory): Dots => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { m: memory } })
  return exports.dots as Dots
}
