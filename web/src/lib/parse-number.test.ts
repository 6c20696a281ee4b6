import { expect, it } from "vitest"
import { parseNumber } from "./parse-number.ts"

it.each([
  ["0.5", 0.5],
  ["0,5", 0.5],
  [" 1. ", 1],
  [".5", 0.5],
  ["-2", -2],
  ["1e-7", 1e-7],
  ["", null],
  [" ", null],
  ["1e", null],
  ["0x10", null],
  ["1.2.3", null],
  ["1 000", null],
  ["Infinity", null],
  ["1e999", null],
])("reads %j as %j", (text, value) => {
  expect(parseNumber(text)).toBe(value)
})

it.each([
  ["1000", 1000],
  ["-1", -1],
  ["1,000", null],
  ["1.000", null],
  ["1e3", null],
  ["2.5", null],
])("reads %j as %j where a whole number is needed", (text, value) => {
  expect(parseNumber(text, true)).toBe(value)
})
