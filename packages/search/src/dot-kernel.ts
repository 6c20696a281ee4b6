/**
 * A WebAssembly module with one function, assembled by hand so that no build step is needed:
 * `dots(query, vectors, width, count, out)` writes the dot product of a query with each of `count`
 * int8 vectors as int32. The query's components must be 0 to 127, the vectors' -127 to 127: within
 * these bounds the relaxed instruction is exact on every CPU. Addresses are in bytes; `width` is a
 * multiple of `componentsPerStep`.
 */
const i32 = 0x7f
const v128 = 0x7b
const [query, vectors, width, count, out, at, end, sum] = [0, 1, 2, 3, 4, 5, 6, 7]
/** Independent accumulators, so that instructions do not wait for each other. */
const lanes = 4
/** Components processed per iteration. */
export const componentsPerStep = 16 * lanes

/** Unsigned LEB128. */
const leb128 = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)]
const section = (id: number, body: number[]): number[] => [id, ...leb128(body.length), ...body]
const text = (name: string): number[] => [name.length, ...Buffer.from(name)]

const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
/** Signed LEB128 of a non-negative number. */
const constant = (value: number): number[] =>
  value < 0x40 ? [0x41, value] : [0x41, (value & 0x7f) | 0x80, value >>> 7]
const add = [0x6a]
const simd = (operation: number): number[] => [0xfd, ...leb128(operation)]
const load = (offset: number): number[] => [...simd(0x00), 0x00, ...leb128(offset)]
const extract = (index: number): number[] => [...get(sum), ...simd(0x1b), index]
const addLanes = simd(0xae)
const forEachLane = (work: (lane: number) => number[]): number[] =>
  Array.from({ length: lanes }, (_, lane) => work(lane)).flat()

/** Sixteen products, accumulated in groups of four. */
const multiply = (lane: number): number[] => [
  ...[...get(vectors), ...load(16 * lane), ...get(at), ...load(16 * lane)],
  ...[...get(sum + lane), ...simd(0x113), ...set(sum + lane)], // relaxed_dot_i8x16_i7x16_add_s
]
const step = (local: number, by: number[]): number[] => [
  ...get(local),
  ...by,
  ...add,
  ...set(local),
]

const body = [
  ...[0x02, 0x40, 0x03, 0x40], // block, loop: one vector per iteration
  ...[...get(count), 0x45, 0x0d, 0x01], // exit when none is left
  ...forEachLane((lane) => [...simd(0x0c), ...Array<number>(16).fill(0), ...set(sum + lane)]),
  ...[...get(query), ...set(at)],
  ...[...get(vectors), ...get(width), ...add, ...set(end)],
  ...[0x03, 0x40], // loop
  ...forEachLane(multiply),
  ...step(at, constant(componentsPerStep)),
  ...step(vectors, constant(componentsPerStep)),
  ...[...get(vectors), ...get(end), 0x49, 0x0d, 0x00], // continue while below the end
  0x0b,
  ...[...get(sum), ...get(sum + 1), ...addLanes, ...get(sum + 2), ...addLanes],
  ...[...get(sum + 3), ...addLanes, ...set(sum)],
  ...[...get(out), ...extract(0), ...extract(1), ...add, ...extract(2), ...add],
  ...[...extract(3), ...add, 0x36, 0x02, 0x00], // i32.store
  ...step(out, constant(4)),
  ...[...get(count), ...constant(1), 0x6b, ...set(count)],
  ...[0x0c, 0x00, 0x0b, 0x0b, 0x0b],
]
const locals = [2, 2, i32, lanes, v128]
const code = [...locals, ...body]

const bytes = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...section(1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]),
  ...section(2, [1, ...text("e"), ...text("m"), 0x02, 0x00, 0x01]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...text("dots"), 0x00, 0]),
  ...section(10, [1, ...leb128(code.length), ...code]),
])

export type DotKernel = (
  query: number,
  vectors: number,
  width: number,
  count: number,
  out: number,
) => void

/** Instantiates the kernel on a memory. */
export const createDotKernel = (memory: WebAssembly.Memory): DotKernel => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { m: memory } })
  return exports.dots as DotKernel
}
