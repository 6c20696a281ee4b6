import type { ClientApi } from "./clients-testbed.ts"

/** What clients are tested for: the columns of the table in `docs/clients.md`. */
export const features = [
  "text",
  "stream",
  "tools",
  "reasoning",
  "structured output",
  "images",
  "documents",
  "errors",
] as const

export type Feature = (typeof features)[number]

export interface ClientContext {
  /** The gateway's address, without a path. */
  url: string
  key: string
  model: string
}

/** Why a feature failed; null if it works. A feature that the client does not have is missing. */
export type FeatureResults = Partial<Record<Feature, string | null>>

export interface Client {
  /** As in the table of `docs/clients.md`. */
  name: string
  version: string
  api: ClientApi
  /** What has to be installed before the client can run; null if nothing. */
  findMissing: () => Promise<string | null>
  /** Tries each feature of the client once. */
  run: (context: ClientContext) => Promise<FeatureResults>
}

type FeatureTest = (context: ClientContext) => Promise<void>

/** Runs tests of features, one after the other, whatever the outcome of each. */
export const runFeatureTests = async (
  tests: Partial<Record<Feature, FeatureTest>>,
  context: ClientContext,
): Promise<FeatureResults> => {
  const results: FeatureResults = {}
  for (const feature of features) {
    const test = tests[feature]
    if (!test) continue
    results[feature] = await test(context).then(
      () => null,
      (error: unknown) => String(error),
    )
  }
  return results
}
