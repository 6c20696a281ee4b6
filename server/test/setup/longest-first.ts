import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * The slowest files of a run without a cache of earlier ones, slowest first. One that starts last
 * leaves the other workers idle while it ends.
 */
const slowest: readonly string[] = []

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slowest.findIndex((file) => moduleId.endsWith(`/${file}`))
  return rank === -1 ? slowest.length : rank
}

/** Orders the files of all projects together: those named above, then vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right))
  }
}
