import { isValidElement } from "react"
import { expect, it } from "vitest"
import { limitDrawingCost, mapTextChildren, removeExcessMarks } from "./limit-drawing-cost.ts"

it.each([
  ["Thai", "ที่นี่มีน้ำอยู่ใต้พื้น"],
  ["Hindi", "हिन्दी में क्ष्म्य और र्त्स्न्य"],
  ["vocalised Arabic", "بِسْمِ ٱللَّٰهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ"],
  ["Hebrew with cantillation", "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים"],
  ["emoji", "👩🏽‍❤️‍💋‍👨🏿 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪"],
  ["Tibetan", "ཧཱུྃ བཀྲ་ཤིས་བདེ་ལེགས"],
  ["Zalgo", `H${"\u0315\u0358\u0321".repeat(11)}e${"\u0336".repeat(40)}`],
])("text in %s is shown as it is", (_, text) => {
  expect(limitDrawingCost(text)).toBe(text)
  const long = `${text} `.repeat(200)
  expect(limitDrawingCost(long)).toBe(long)
})

it.each([
  ["accents", "a", "\u0301"],
  ["skin tones", "👩", "\u{1f3fd}"],
  ["Arabic vowels", "\u0628", "\u064b"],
  ["marks of several kinds", "a", "\u0301\u0489\u20dd\ufe0f\u200d"],
])("%s are limited on each character, and what follows is kept", (_, base, mark) => {
  const shown = removeExcessMarks(`b${base}${mark.repeat(50_000)}c ${base}${mark}d`)
  expect(shown.length).toBeLessThan(150)
  expect(shown.startsWith(`b${base}${mark}`)).toBe(true)
  expect(shown.endsWith(`c ${base}${mark}d`)).toBe(true)
})

it("a word without an end may break, and loses nothing", () => {
  const word = "\u0628\u064b".repeat(5000)
  const shown = limitDrawingCost(`before ${word} after`)
  const parts = Array.isArray(shown) ? shown : [shown]
  expect(parts.filter((part) => !isValidElement(part)).join("")).toBe(`before ${word} after`)
  expect(parts.filter(isValidElement).length).toBeGreaterThan(15)
  const letters = parts.filter((part) => typeof part === "string")
  expect(letters.some((letter) => letter.startsWith("\u064b"))).toBe(false)
})

it("children without such a text stay the same", () => {
  const children = ["short", ["a b ".repeat(1000), null], 5]
  expect(mapTextChildren(children, limitDrawingCost)).toBe(children)
})
