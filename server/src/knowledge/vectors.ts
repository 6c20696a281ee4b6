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
export const coarseQuery = (query: Float32Array) => {
  let largest = 0
  for (const value of query) largest = Math.max(largest, Math.abs(value))
  const factor = largest / 127 || 1
  return { factor, components: Int8Array.from(query, (value) => Math.round(value / factor)) }
}

export const exactDot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number)
  return sum
}

/** A file's vectors, ready to be compared with one query. */
export interface Scanned {
  count: number
  /** Calls back with the similarity of each. */
  each(tell: (passage: number, score: number) => void): void
}

/** Looks at every vector. Files without vectors in the space are null. */
export const scanVectors = (files: readonly (Scanned | null)[], limit: number) => {
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
    file?.each((passage, score) => {
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
