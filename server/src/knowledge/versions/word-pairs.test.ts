import { expect, it } from "vitest"
import { samplePairs } from "./word-pairs.ts"

const shareOf = (text: string, other: string): number => {
  const pairs = samplePairs(text)
  return pairs.intersection(samplePairs(other)).size / pairs.size
}
const wordsFrom = (first: number, count: number): string =>
  Array.from(
    { length: count },
    (_, at) =>
      `wo${String.fromCharCode(97 + ((first + at) % 26))}rd${((first + at) * 7919).toString(36).replace(/\d/g, "y")}`,
  ).join(" ")

it("estimates the share of the pairs of words that texts have in common", () => {
  const text = wordsFrom(0, 2000)
  expect(shareOf(text, text.toUpperCase().replaceAll(" ", ",\n"))).toBe(1)
  expect(shareOf(text, wordsFrom(5000, 2000))).toBeLessThan(0.05)
  const half = `${wordsFrom(0, 1000)} ${wordsFrom(9000, 1000)}`
  expect(shareOf(text, half)).toBeGreaterThan(0.42)
  expect(shareOf(text, half)).toBeLessThan(0.58)
  expect(samplePairs(text).size).toBeGreaterThan(350)
  expect(samplePairs(text).size).toBeLessThan(650)
})

it.each([
  ["24 days of paid leave in each year", "28 days of paid leave in each year"],
  ["Größe 5, Länge 10,5 m, überall geprüft", "größe 7; länge 1.200 m überall: geprüft"],
  ["每位员工每年享有20天带薪年假，请假须提前申请", "每位员工每年享有25天带薪年假。请假须提前申请"],
  ["Отпуск 24 дня в году для каждого", "отпуск 28 дня в году для каждого"],
])("takes numbers for equal: %s", (text, other) => {
  const long = (part: string) =>
    Array.from({ length: 20 }, (_, at) => `${part} x${"abcdefghij"[at % 10]}`).join(" ")
  expect(shareOf(long(text), long(other))).toBeGreaterThan(0.8)
})
