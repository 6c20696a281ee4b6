import { createHash } from "node:crypto"

/**
 * A unit vector of the text's words: equal texts have equal vectors, and texts that share words have
 * similar ones. Components are exact in 32 bits, so that base64 and plain numbers agree.
 */
export const embedText = (text: string, dimensions: number): number[] => {
  const vector = new Float32Array(dimensions).fill(0.01)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const index = createHash("sha256").update(word).digest().readUInt32LE() % dimensions
    vector[index] = (vector[index] ?? 0) + 1
  }
  const length = Math.hypot(...vector)
  return Array.from(vector, (component) => Math.fround(component / length))
}

/** Little-endian 32-bit floats in base64, as for `encoding_format: "base64"`. */
export const encodeBase64 = (vector: number[]): string =>
  Buffer.from(new Float32Array(vector).buffer).toString("base64")
