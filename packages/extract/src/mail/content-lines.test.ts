import { expect, it } from "vitest"
import { readContentLines } from "./content-lines.ts"

const textsOf = (...lines: string[]): string[] =>
  readContentLines(lines.join("\r\n")).map(({ text }) => text)

it.each([
  [
    "the parts of a name if there is no other",
    ["BEGIN:VCARD", "VERSION:2.1", "N:Sommer;Ada;;Dr.", "TEL:1", "END:VCARD"],
    ["Name: Dr. Ada Sommer\nPhone: 1"],
  ],
  [
    "the formatted name if there is one",
    ["BEGIN:VCARD", "N:Sommer;Ada;;Dr.", "FN:Ada Sommer", "END:VCARD"],
    ["Name: Ada Sommer"],
  ],
  [
    "that a meeting is cancelled",
    ["BEGIN:VCALENDAR", "METHOD:CANCEL", "BEGIN:VEVENT", "SUMMARY:A", "END:VEVENT"],
    ["Summary: A\nStatus: CANCELLED"],
  ],
  [
    "its state and duration",
    ["BEGIN:VEVENT", "SUMMARY:A", "DURATION:PT1H", "STATUS:CANCELLED", "END:VEVENT"],
    ["Summary: A\nDuration: PT1H\nStatus: CANCELLED"],
  ],
  [
    "components without an end",
    [
      "BEGIN:VEVENT",
      "SUMMARY:A",
      "BEGIN:VALARM",
      "SUMMARY:x",
      "END:VEVENT",
      "BEGIN:VEVENT",
      "SUMMARY:B",
      "BEGIN:VEVENT",
      "SUMMARY:C",
    ],
    ["Summary: A", "Summary: B", "Summary: C"],
  ],
])("reads %s", (_what, lines, expected) => {
  expect(textsOf(...lines)).toEqual(expected)
})
