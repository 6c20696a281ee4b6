/** Unit vectors quantized to int8, with one float32 factor each. */
export interface QuantizedVectors {
  count: number
  dimensions: number
  factors: Float32Array
  components: Int8Array
}

const factorBytes = 4

/** Packs unit vectors: all factors first, then all components. */
export const packQuantizedVectors = (vectors: readonly Float32Array[]): Uint8Array => {
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

export const openQuantizedVectors = (packed: Uint8Array, count: number): QuantizedVectors => {
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

interface PackedVectors {
  count: number
  data: Uint8Array
}

/** Merges packs into one: all factors first, then all components. */
export const mergeQuantizedVectors = (packs: readonly PackedVectors[]): PackedVectors => {
  const open = packs.map(({ data, count }) => openQuantizedVectors(data, count))
  const bytes = (array: Float32Array | Int8Array): Uint8Array =>
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  const parts = [
    ...open.map(({ factors }) => bytes(factors)),
    ...open.map(({ components }) => bytes(components)),
  ]
  return { count: packs.reduce((sum, { count }) => sum + count, 0), data: Buffer.concat(parts) }
}

/** Added to a query's components, so that none is negative. */
export const queryOffset = 64

/** Quantizes a query to seven bits, as required by the kernel. */
export const quantizeQuery = (query: Float32Array) => {
  let largest = 0
  for (const value of query) largest = Math.max(largest, Math.abs(value))
  const factor = largest / (queryOffset - 1) || 1
  return {
    factor,
    components: Int8Array.from(query, (value) => Math.round(value / factor) + queryOffset),
  }
}
