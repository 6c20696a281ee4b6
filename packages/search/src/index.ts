export { searchLexical } from "./bm25.ts"
export { compareHits, keyOf, type ScoredHit } from "./hits.ts"
export { maxPassages, packIndexSegment } from "./index-segment.ts"
export {
  dotProduct,
  mergePacks,
  openQuantized,
  packQuantized,
  scanVectors,
  toUnitVector,
} from "./quantization.ts"
export {
  interleave,
  maxCandidates,
  type RankedHit,
  rank,
  rankWithPrevious,
  type SearchHits,
} from "./ranking.ts"
export { createSegmentCache, type FileTerms } from "./segment-cache.ts"
export { extractTerms } from "./tokenizer.ts"
export { createVectorCache } from "./vector-cache.ts"
