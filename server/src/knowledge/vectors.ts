import type { DenseHit } from "./scan.ts"

/** Vectors of unit length as int8 components after one float32 factor each. */
export interface Coarse {
  count: number
  dimensions: number
  factors: Float32Array
  components: Int8Array
}

const factorBytes = 4

/** Packs unit vectors: all factors first, then all components. */
export const packCoarse = (vectors: readonly Float32Array[]): Uint8Array => {
  const [first] = vectors
  const dimensions = first?.length ?? 0
  const packed = new Uint8Array(vectors.length * (factorBytes + dimensions))
  const factors = new Float32Array(packed.buffer, 0, vectors.length)
  const components = new Int8Array(packed.buffer, vectors.length * factorBytes)
  for (const [index, vector] of vectors.entries()) {
    let largest = 0
    for (const value of vector) largest = Math.max(largest, Math.abs(value))
    const factor = largest / 127 || 1
    factors[index] = factor
    for (let at = 0; at < dimensions; at++) {
      components[index * dimensions + at] = Math.round((vector[at] ?? 0) / factor)
    }
  }
  return packed
}

export const openCoarse = (packed: Uint8Array, count: number): Coarse => {
  const aligned = packed.byteOffset % 4 === 0 ? packed : new Uint8Array(packed)
  const { buffer, byteOffset, byteLength } = aligned
  const dimensions = count === 0 ? 0 : byteLength / count - factorBytes
  return {
    count,
    dimensions,
    factors: new Float32Array(buffer, byteOffset, count),
    components: new Int8Array(buffer, byteOffset + count * factorBytes, count * dimensions),
  }
}

/** The same direction with length 1. */
export const unit = (values: ArrayLike<number>): Float32Array => {
  const vector = Float32Array.from(values)
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum) || 1
  return vector.map((value) => value / length)
}

/** Rounded like what it is compared with, so that the sums stay whole numbers. */
const coarseQuery = (query: Float32Array) => {
  let largest = 0
  for (const value of query) largest = Math.max(largest, Math.abs(value))
  const factor = largest / 127 || 1
  return { factor, components: Int8Array.from(query, (value) => Math.round(value / factor)) }
}

const dot = (query: Int8Array, all: Int8Array, from: number): number => {
  let a = 0
  let b = 0
  const length = query.length
  for (let at = 0; at + 1 < length; at += 2) {
    a += (query[at] as number) * (all[from + at] as number)
    b += (query[at + 1] as number) * (all[from + at + 1] as number)
  }
  if (length % 2 === 1) a += (query[length - 1] as number) * (all[from + length - 1] as number)
  return a + b
}

export const exactDot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number)
  return sum
}

/** Calls back with the similarity of each vector of a file. */
const eachScore = (
  { count, dimensions, factors, components }: Coarse,
  query: { factor: number; components: Int8Array },
  tell: (passage: number, score: number) => void,
): void => {
  for (let passage = 0; passage < count; passage++) {
    const whole = dot(query.components, components, passage * dimensions)
    tell(passage, whole * query.factor * (factors[passage] ?? 0))
  }
}

/** Looks at every vector. Files without vectors in the space are null. */
export const scanVectors = (
  files: readonly (Coarse | null)[],
  query: Float32Array,
  limit: number,
) => {
  const coarse = coarseQuery(query)
  const hits: DenseHit[] = []
  let bar = Number.NEGATIVE_INFINITY
  let count = 0
  let sum = 0
  let squares = 0
  const trim = (): void => {
    hits.sort((a, z) => z.score - a.score || a.file - z.file || a.passage - z.passage)
    if (hits.length < limit) return
    hits.length = limit
    bar = hits.at(-1)?.score ?? bar
  }
  for (const [index, file] of files.entries()) {
    if (file?.dimensions !== query.length) continue
    eachScore(file, coarse, (passage, score) => {
      count++
      sum += score
      squares += score * score
      if (score > bar) hits.push({ file: index, passage, score })
    })
    if (hits.length > limit * 8) trim()
  }
  trim()
  const mean = sum / Math.max(1, count)
  const deviation = Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean))
  return { hits, spread: { mean, deviation, count } }
}
