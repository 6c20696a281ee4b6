export { searchLexical } from "./bm25.ts"
export { compareHits, hitKey as keyOf, type ScoredHit } from "./hits.ts"
export { maxPassages, packIndexSegment } from "./index-segment.ts"
export {
  dotProduct,
  mergeQuantized as mergePacks,
  openQuantized,
  packQuantized,
  scanVectors,
  toUnitVector,
} from "./quantization.ts"
export {
  interleave,
  maxCandidates,
  type RankedHit,
  rankHits as rank,
  rankWithPrevious,
  type SearchHits,
} from "./ranking.ts"
export { createSegmentCache, type FileTerms } from "./segment-cache.ts"
export { extractTerms } from "./tokenizer.ts"
export { createVectorCache } from "./vector-cache.ts"
