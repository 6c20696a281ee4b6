import { HitCollector, type ScoredHit } from "./hits.ts"

/** The kernel's results for one file's vectors. */
interface VectorComparison {
  count: number
  /** Dot products with the offset query, by vector. */
  dots: Int32Array
  /** The share of the query's offset in each dot product. */
  offsets: Int32Array
  factors: Float32Array
  /** The query's quantization factor. */
  factor: number
}

/** Compares a file's vectors with a query; the result is valid until the next comparison. */
export type VectorScan = () => VectorComparison

/** Offers the passages of one file as hits. */
const collectFileHits = (
  hits: HitCollector,
  file: number,
  { count, dots, offsets, factors, factor }: VectorComparison,
): void => {
  for (let at = 0; at < count; at++) {
    const dot = (dots[at] as number) - (offsets[at] as number)
    const score = dot * factor * (factors[at] as number)
    if (hits.mayInclude(score)) hits.add({ file, passage: at, score })
  }
}

/** Scores every vector. Files without vectors in the index are null. */
export const scanVectors = (files: readonly (VectorScan | null)[], limit: number): ScoredHit[] => {
  const hits = new HitCollector(limit, Number.NEGATIVE_INFINITY)
  for (const [file, scan] of files.entries()) if (scan) collectFileHits(hits, file, scan())
  return hits.best()
}
