import type { TokenCounts } from "../usage/token-counts.ts"

/** What a request is charged for besides its tokens. */
export interface Units {
  /** As requested; null for the default. */
  serviceTier: string | null
  /** 1 unless stated. */
  requests?: number
  /** Generated images. */
  images?: number
  /** Length of the audio input. */
  audioMs?: number
  /** How long the model took to answer. */
  durationMs: number
}

export interface PricedUsage extends Units {
  tokens: TokenCounts
}

/** Upper bounds of what a request can use. */
export interface UsageBounds extends Units {
  maxTokensIn: number
  maxTokensOut: number
}
