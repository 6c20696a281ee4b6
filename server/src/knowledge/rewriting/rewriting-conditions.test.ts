import { expect, it } from "vitest"
import { fileLanguagesOf } from "./file-languages.ts"
import { isInOtherLanguage, refersBack } from "./rewriting-conditions.ts"

it.each([
  ["And on Sundays?", true],
  ["Und wie lange gilt das dann noch?", true],
  ["それはいつですか？", true],
  ["那周末呢？", true],
  ["Which parts of the ship have to be checked before each of its voyages?", false],
  ["Wie viele Tage Urlaub stehen Angestellten in der Probezeit pro Monat zu?", false],
  ["員工在試用期間每個月可以請多少天的年假而且不會被扣薪水或者影響考核結果呢", false],
  ["x".repeat(200), false],
])("%j after another question refers back: %s", (question, expected) => {
  expect(refersBack(question, true)).toBe(expected)
  expect(refersBack(question, false)).toBe(false)
})

it.each<[string | null, string[], boolean]>([
  ["en", ["en"], false],
  ["en", ["de"], true],
  ["en", ["en", "de"], true],
  [null, ["de"], false],
  ["en", [], false],
])("a question in %j is in another language than some files in %j: %s", (...values) => {
  const [language, fileLanguages, expected] = values
  expect(isInOtherLanguage(language, fileLanguages)).toBe(expected)
})

it("knows the languages of files, except those of very few", () => {
  const files = (count: number, language: string | null) =>
    Array.from({ length: count }, (_, at) => ({ id: `${language}${at}`, language }))
  const many = [...files(3, "de"), ...files(200, "en"), ...files(50, null), ...files(9, "fr")]
  expect(fileLanguagesOf(many, 4)).toEqual(["en", "fr"])
  expect(fileLanguagesOf([...files(1, "de"), ...files(9, "en")], 4)).toEqual(["en", "de"])
  expect(fileLanguagesOf(many, 1)).toEqual(["en"])
  expect(fileLanguagesOf(files(2, null), 4)).toEqual([])
})
