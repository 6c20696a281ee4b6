import { expect, it } from "vitest"
import { deriveFunctionId, deriveId } from "./derive-id.ts"

it.each([
  ["Harbour Pilot", "harbour-pilot"],
  ["Café helper / très bon", "cafe-helper-tres-bon"],
  ["  Groß & klein!  ", "gross-klein"],
  ["Llama 3.3 (70B)", "llama-3-3-70b"],
  ["港", ""],
])("derives an ID from %j", (name, id) => {
  expect(deriveId(name)).toBe(id)
})

it.each([
  ["Café helper / très bon", "cafe_helper_tres_bon"],
  ["3 Harbour Pilots", "harbour_pilots"],
  ["a".repeat(80), "a".repeat(64)],
])("derives a function's ID from %j", (name, id) => {
  expect(deriveFunctionId(name)).toBe(id)
})
