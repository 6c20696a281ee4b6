import { expect, it } from "vitest"
import { formatListNumber } from "./list-number-format.ts"

it.each([
  [3, "decimal", "3"],
  [3, "decimalZero", "03"],
  [12, "decimalZero", "12"],
  [7, "001", "007"],
  [1, "lowerLetter", "a"],
  [26, "lowerLetter", "z"],
  [28, "lowerLetter", "bb"],
  [53, "upperLetter", "AAA"],
  [4, "upperRoman", "IV"],
  [1994, "upperRoman", "MCMXCIV"],
  [9, "lowerRoman", "ix"],
  [4000, "upperRoman", "4000"],
  [1, "ordinal", "1st"],
  [12, "ordinal", "12th"],
  [22, "ordinal", "22nd"],
  [3, "numberInDash", "- 3 -"],
  [3, "chineseCounting", "三"],
  [10, "chineseCounting", "十"],
  [21, "chineseCounting", "二十一"],
  [2, "ideographTraditional", "乙"],
  [3, "decimalEnclosedCircle", "③"],
  [21, "decimalEnclosedCircle", "21"],
  [2, "russianLower", "б"],
  [5, "none", ""],
  [1e9, "lowerLetter", "1000000000"],
  [5, "unknownFormat", "5"],
])("shows %i as %s: %s", (number, format, expected) => {
  expect(formatListNumber(number, format)).toBe(expected)
})
