import { expect, it } from "vitest"
import { parseNumberFormat } from "./number-format.ts"

/** 2023-03-15. */
const date = 45_000

/** Expected texts are those of Excel in English, but for dates that are read differently by region. */
it.each<[code: string, value: number, shown: string]>([
  ["General", 19.989999999999998, "19.99"],
  ["General", 0.1 + 0.2, "0.3"],
  ["General", 1 / 3, "0.333333333"],
  ["General", 4_006_381_333_931, "4006381333931"],
  ["General", 123_456_789_012.5, "123456789012.5"],
  ["General", 1.234567e-10, "1.23457E-10"],
  ["0.00%", 0.025, "2.50%"],
  ["0.0%", 0.072, "7.2%"],
  ["#,##0.00", -1599.99, "-1,599.99"],
  ["$#,##0.00;[Red]($#,##0.00)", -1599.99, "($1,599.99)"],
  ['_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-', 1234.5, "1,234.50 €"],
  ["#,##0.00\\ [$€-407]", 1234.5, "1,234.50 €"],
  ["[$USD]\\ #,##0", 12, "USD 12"],
  ['[>100]"many";[<10]"few";0', 50, "50"],
  ['[>100]"many";[<10]"few";0', 500, "many"],
  ['0.0,,"M"', 12_345_678, "12.3M"],
  ["# ?/?", 2.5, "2 1/2"],
  ["0.00E+00", 198_356_388, "1.98E+08"],
  ['0;-0;"none"', 0, "none"],
  ["0;-0;;@", 0, ""],
  [";;;", 5, "5"],
  ["00000", 123, "00123"],
  ["h:mm", 0.3541666666666667, "8:30"],
  ["h:mm AM/PM", 0.75, "6:00 PM"],
  ["[h]:mm", 1.5, "36:00"],
  ["mm:ss.0", 0.0001, "00:08.6"],
  ["dd.mm.yyyy", date, "15.03.2023"],
  ["dd.mm.yy", date, "15.03.2023"],
  ["d-mmm-yy", date, "15-Mar-2023"],
  ["[$-407]d\\. mmmm yyyy", date, "15. März 2023"],
  ["m/d/yyyy", date, "2023-03-15"],
  ["dd\\-mm\\-yyyy", date, "2023-03-15"],
  ["m/d/yy h:mm", date + 0.5, "2023-03-15 12:00"],
  ["yyyy/mm/dd", date, "2023/03/15"],
  ["mm/yyyy", date, "03/2023"],
  ['yyyy"年"m"月"d"日"', date, "2023年3月15日"],
])("shows %s of %d as %s", (code, value, shown) => {
  expect(parseNumberFormat(code).formatNumber(value).trim()).toBe(shown)
})

it("applies the section for texts", () => {
  expect(parseNumberFormat('0;-0;0;"Code "@').formatText("A7")).toBe("Code A7")
  expect(parseNumberFormat("0.00").formatText("A7")).toBe("A7")
})

it.each(["[", "0".repeat(300), "Standard"])("ignores the invalid code %s", (code) => {
  expect(parseNumberFormat(code).formatNumber(4.5)).toBe("4.5")
})

it("does not multiply a text", () => {
  expect(parseNumberFormat("@".repeat(255)).formatText("x".repeat(1000))).toBe("x".repeat(1000))
})
