import { isMonthName } from "./month-names.ts"

export type CellKind = "text" | "number" | "date"

/** Longer cells are text. */
const maxValueLength = 40

const dateForms = [
  /^\d{4}[-./]\d{1,2}([-./]\d{1,2})?([ T]\d|$)/,
  /^\d{1,2}[-./]\d{1,2}[-./]\d{2,4}\b/,
  /^\d{1,2}[-./]\d{4}$/,
  /^\d{1,2}:\d{2}(:\d{2})?([.,]\d+)?( ?[AP]M)?$/i,
  /^\d{4}$/,
]
/** Forms with the name of a month, such as "4. May 2026" and "May 2026". */
const namedMonthForms = [
  /^\d{1,2}[-./ ]+(\p{L}{3,10}\.?)([-./, ]+\d{2,4})?$/u,
  /^(\p{L}{3,10}\.?)[-./ ]+\d{2,4}$/u,
]

const hasNamedMonth = (text: string): boolean =>
  namedMonthForms.some((form) => isMonthName(form.exec(text)?.[1] ?? ""))

/** Signs, currencies, percentages and exponents around digits. */
const numberForm =
  /^[-+(~<>≤≥±]*\s?([A-Z]{3}|\p{Sc})?\s?[-+(]?\d[\d.,'’\s/]*(E[-+]?\d+)?\s?([A-Z]{3}|[%‰)]|\p{Sc})*$/u
const emptyValues = new Set(["-", "–", "—", "n/a", "N/A", "TRUE", "FALSE"])

const isYear = (text: string): boolean => text.length === 4 && /^(19|20)\d\d$/.test(text)

/** Whether a cell holds a label or a value; years count as dates. */
export const cellKind = (text: string): CellKind => {
  if (text.length > maxValueLength) return "text"
  if (/^\d{4}$/.test(text)) return isYear(text) ? "date" : "number"
  if (dateForms.some((form) => form.test(text)) || hasNamedMonth(text)) return "date"
  const isValue = numberForm.test(text) || emptyValues.has(text) || /^#[A-Z0-9/]+[!?]?$/.test(text)
  return isValue ? "number" : "text"
}
