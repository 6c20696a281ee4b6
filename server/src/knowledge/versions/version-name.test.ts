import { expect, it } from "vitest"
import { type NamedPeriod, parseVersionName, type VersionName } from "./version-name.ts"

it.each<
  [string, Partial<Omit<VersionName, "period">> & { period?: [NamedPeriod["unit"], string] }]
>([
  ["Leave policy 2023.docx", { stem: "leave policy", period: ["year", "2023"] }],
  ["LeavePolicy2023.docx", { stem: "leavepolicy", period: ["year", "2023"] }],
  ["manual_v2.1.pdf", { stem: "manual", number: [2, 1], terms: ["2.1", "v2.1"] }],
  ["Manual Rev. 3 - final.pdf", { stem: "manual", number: [3], state: "final", terms: ["v3"] }],
  ["Handbuch (alt).odt", { stem: "handbuch", isOutdated: true }],
  ["Handbuch neu.odt", { stem: "handbuch", state: "neu" }],
  ["Plan (2).xlsx", { stem: "plan" }],
  ["Plan - Copy.xlsx", { stem: "plan", state: "copy" }],
  ["Minutes 2025-03-12.docx", { stem: "minutes", period: ["day", "2025-03-12"] }],
  ["Protokoll 12.03.2025.docx", { stem: "protokoll", period: ["day", "2025-03-12"] }],
  ["20250312_minutes.docx", { stem: "minutes", period: ["day", "2025-03-12"] }],
  ["report-2025-03.pdf", { stem: "report", period: ["month", "2025-03"] }],
  ["Report 03-2025.pdf", { stem: "report", period: ["month", "2025-03"] }],
  ["Bericht März 2025.pdf", { stem: "bericht", period: ["month", "2025-03"] }],
  ["Report Q3 2025.pdf", { stem: "report", period: ["quarter", "2025-q3"], terms: ["2025", "q3"] }],
  ["2025_H2 figures.xlsx", { stem: "figures", period: ["half", "2025-h2"] }],
  ["Plan KW 07 2025.xlsx", { stem: "plan", period: ["week", "2025-w7"] }],
  ["Report Q3.pdf", { stem: "report q3" }],
  ["invoice-1042.pdf", { stem: "invoice 1042" }],
  ["invoice-2024-0117.pdf", { stem: "invoice 0117", period: ["year", "2024"] }],
  ["1.2 Safety.docx", { stem: "1 2 safety" }],
  ["Safety 1.2.docx", { stem: "safety", number: [1, 2], isBareNumber: true }],
  ["Kapitel 3.1.docx", { stem: "kapitel 3 1" }],
  ["Newsletter issue 12.pdf", { stem: "newsletter issue 12" }],
  ["Pump P2010.pdf", { stem: "pump p2010" }],
  ["Pump 2050.pdf", { stem: "pump 2050" }],
  ["Pump 2010.pdf", { stem: "pump", period: ["year", "2010"], phrases: ["pump 2010"] }],
  ["2023.pdf", { stem: "", period: ["year", "2023"] }],
  ["v2.docx", { stem: "", number: [2] }],
  ["価格表2024.xlsx", { stem: "価格表", period: ["year", "2024"] }],
])("reads %s", (name, { period, ...expected }) => {
  const none = { number: null, isBareNumber: false, isOutdated: false, state: "" }
  const parsed = parseVersionName(name)
  expect(parsed).toMatchObject({ ...none, ...expected })
  expect(parsed.period && [parsed.period.unit, parsed.period.key]).toEqual(period ?? null)
})

it.each([
  ["Report Q3 2025.pdf", "2025-07-01"],
  ["Report H2 2025.pdf", "2025-07-01"],
  ["Report week 2 2025.pdf", "2025-01-08"],
  ["Report Dezember 2025.pdf", "2025-12-01"],
  ["Report 31.12.2025.pdf", "2025-12-31"],
])("reads when the time in %s begins", (name, day) => {
  expect(parseVersionName(name).period?.start).toBe(Date.parse(`${day}T00:00:00Z`) / 1000)
})

it("reads long names in linear time", () => {
  const start = performance.now()
  for (const part of ["2023-", "v1.", "1.1.", " ()", "2023 march ", "part ", "q1 2025 ", "2010 "])
    parseVersionName(part.repeat(50_000))
  expect(performance.now() - start).toBeLessThan(200)
})
