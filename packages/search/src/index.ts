export { searchLexical } from "./bm25.ts"
export { compareHits, hitKey, type ScoredHit } from "./hits.ts"
export {
  interleaveHits,
  maxCandidates,
  type RankedHit,
  rankFollowUp,
  rankHits,
  type SearchHits,
} from "./hybrid-ranking.ts"
export { maxPassages, packIndexSegment } from "./index-segment.ts"
export {
  mergeQuantizedVectors,
  openQuantizedVectors,
  packQuantizedVectors,
} from "./quantization.ts"
export { scanVectors } from "./scan-vectors.ts"
export { createSegmentCache, type FileTerms } from "./segment-cache.ts"
export { extractTerms } from "./tokenizer.ts"
export { createVectorCache } from "./vector-cache.ts"
export { dotProduct, toUnitVector } from "./vector-math.ts"
