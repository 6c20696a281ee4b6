import { expect, it } from "vitest"
import { parseVersionName } from "./version-name.ts"

const seconds = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000

it.each([
  ["Leave policy 2023.docx", { stem: "leave policy", time: "2023-01-01" }],
  ["LeavePolicy2023.docx", { stem: "leavepolicy", time: "2023-01-01" }],
  ["manual_v2.1.pdf", { stem: "manual", number: [2, 1] }],
  ["Manual Rev. 3 - final.pdf", { stem: "manual", number: [3], state: "final" }],
  ["Handbuch (alt).odt", { stem: "handbuch", isOutdated: true }],
  ["Handbuch neu.odt", { stem: "handbuch", state: "neu" }],
  ["Plan (2).xlsx", { stem: "plan" }],
  ["Plan - Copy.xlsx", { stem: "plan", state: "copy" }],
  ["Minutes 2025-03-12.docx", { stem: "minutes", time: "2025-03-12", isPeriod: true }],
  ["Protokoll 12.03.2025.docx", { stem: "protokoll", time: "2025-03-12", isPeriod: true }],
  ["20250312_minutes.docx", { stem: "minutes", time: "2025-03-12", isPeriod: true }],
  ["report-2025-03.pdf", { stem: "report", time: "2025-03-01", isPeriod: true }],
  ["Bericht März 2025.pdf", { stem: "bericht", time: "2025-03-01", isPeriod: true }],
  ["Report Q3 2025.pdf", { stem: "report", time: "2025-01-01", isPeriod: true }],
  ["invoice-1042.pdf", { stem: "invoice 1042" }],
  ["invoice-2024-0117.pdf", { stem: "invoice 0117", time: "2024-01-01" }],
  ["1.2 Safety.docx", { stem: "1 2 safety" }],
  ["Safety 1.2.docx", { stem: "safety", number: [1, 2] }],
  ["2023.pdf", { stem: "", time: "2023-01-01" }],
  ["v2.docx", { stem: "", number: [2] }],
  ["価格表2024.xlsx", { stem: "価格表", time: "2024-01-01" }],
])("reads %s", (name, { time, ...expected }: Record<string, unknown>) => {
  const none = { number: null, isPeriod: false, isOutdated: false, state: "" }
  const parsed = { ...none, ...expected, time: time === undefined ? null : seconds(String(time)) }
  expect(parseVersionName(name)).toMatchObject(parsed)
})

it("reads long names in linear time", () => {
  const start = performance.now()
  for (const part of ["2023-", "v1.", "1.1.", " ()", "2023 march "])
    parseVersionName(part.repeat(50_000))
  expect(performance.now() - start).toBeLessThan(200)
})
