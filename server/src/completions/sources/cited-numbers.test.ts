import { expect, it } from "vitest"
import { citedNumbers } from "./cited-numbers.ts"

it.each<[string, number[]]>([
  ["Bees dance [1]. Ants follow a trail [2, 3].", [1, 2, 3]],
  ["Both say so [2][1].", [1, 2]],
  ["Nothing is cited here.", []],
  ["An array: `list[4]`, and ``a[5] ` b``, but [1] counts.", [1]],
  ["```\nconst a = list[7]\n```\nAs above [2].", [2]],
  ["~~~\nnever closed [3]", []],
  ["A link [4](https://example.com) and an escaped \\[5] bracket.", []],
  ["A year [2024] is no number of a source.", []],
])("finds in %j the numbers %j", (answer, numbers) => {
  expect([...citedNumbers(answer)].sort()).toEqual(numbers)
})

it("takes time in proportion to the length of an answer", () => {
  /** The fastest of five, as other processes slow single runs down. */
  const timeOf = (count: number): number => {
    const answer = "`[1] ``[2] ~~~ ".repeat(count)
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now()
      citedNumbers(answer)
      return performance.now() - start
    })
    return Math.min(...times)
  }
  timeOf(1000)
  expect(timeOf(40_000)).toBeLessThan(Math.max(5, timeOf(10_000)) * 20)
})
