import { parse } from "scim2-parse-filter"
import { describe, expect, it } from "vitest"
import { userType } from "../test/example-types.ts"
import {
  type Chooser,
  filterStructure,
  generateFilter,
  generateTerm,
  referenceStructure,
} from "../test/generate-filters.ts"
import { ScimError } from "./errors.ts"
import { parseFilter } from "./filter-parser.ts"

/** `npm run fuzz:scim` runs 100,000 rounds of each. The same seed repeats a run. */
const rounds = Number(process.env.SCIM_FUZZ_ROUNDS ?? 400)
const seed = Number(process.env.SCIM_FUZZ_SEED ?? 42)

/** Chooses with a linear congruential generator (MINSTD). */
const createChooser = (start: number): Chooser => {
  let state = start
  const below = (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return Math.floor((state / 2_147_483_647) * bound)
  }
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] }
}

const tryOrError = <T>(work: () => T): T | Error => {
  try {
    return work()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/**
 * What scim2-parse-filter reads differently: a sub-attribute after a bracket, which is our
 * extension of the grammar, and escapes in strings, which it does not decode as JSON.
 */
const parsedDifferently = /\]\.|\\/

describe("generated filters", () => {
  it("are parsed like scim2-parse-filter does", () => {
    const chooser = createChooser(seed)
    let compared = 0
    for (let round = 0; round < rounds; round++) {
      const text = generateFilter(chooser, 3, generateTerm)
      if (parsedDifferently.test(text)) continue
      expect([text, filterStructure(parseFilter(userType, text))]).toEqual([
        text,
        referenceStructure(parse(text)),
      ])
      compared++
    }
    expect(compared).toBeGreaterThan(rounds / 2)
  }, 3_600_000)

  it("are rejected as invalidFilter when corrupted, unless scim2-parse-filter accepts them too", () => {
    const chooser = createChooser(seed + 1)
    let refused = 0
    for (let round = 0; round < rounds; round++) {
      const whole = generateFilter(chooser, 3, generateTerm)
      const at = chooser.below(whole.length)
      const text =
        whole.slice(0, at) + chooser.pick(["", "(", '"', "\\", "]", " ", "é"]) + whole.slice(at + 1)
      const own = tryOrError(() => parseFilter(userType, text))
      if (own instanceof Error) {
        refused++
        expect(own).toBeInstanceOf(ScimError)
        expect(own).toMatchObject({ status: 400, scimType: "invalidFilter" })
        continue
      }
      if (parsedDifferently.test(text)) continue
      const reference = tryOrError(() => parse(text))
      expect([text, reference instanceof Error]).toEqual([text, false])
    }
    expect(refused).toBeGreaterThan(rounds / 4)
  }, 3_600_000)
})
