import type { PdfDocument } from "./open-pdf.ts"
import type { PageAnnotation, Rectangle } from "./page-annotations.ts"

/** What a form field contributes to the text of its page. */
export interface FilledField {
  /** Lines of a value, or a box as `[x]` or `[ ]`. */
  lines: string[]
  /** Stands before the value if the page shows no label. */
  name: string
  rect: Rectangle
  isBox: boolean
}

const lastPart = (fieldName: string): string =>
  fieldName.slice(fieldName.lastIndexOf(".") + 1).replace(/\[\d+\]$/, "")

const nameOf = ({ alternativeText, fieldName }: PageAnnotation): string =>
  alternativeText?.trim() || lastPart(fieldName ?? "")

const displayValue = ({ options = [] }: PageAnnotation, value: string): string =>
  options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value

const readValue = (widget: PageAnnotation, signatures: ReadonlyMap<string, string>): string => {
  const { fieldType, fieldValue, textContent = [], password } = widget
  if (password) return ""
  if (fieldType === "Sig") return signatures.get(widget.id) ?? ""
  if (fieldType === "Ch")
    return [fieldValue ?? []]
      .flat()
      .map((value) => displayValue(widget, value))
      .join(", ")
  return fieldType === "Tx" ? [fieldValue ?? textContent].flat().join("\n") : ""
}

const isChecked = ({ fieldValue, exportValue, buttonValue, checkBox }: PageAnnotation): boolean =>
  fieldValue !== "Off" && fieldValue === (checkBox ? exportValue : buttonValue)

const readBox = (widget: PageAnnotation, isShownEmpty: boolean): FilledField[] => {
  const checked = isChecked(widget)
  if (!checked && !isShownEmpty) return []
  const value = (widget.checkBox ? widget.exportValue : widget.buttonValue) ?? ""
  const name = widget.radioButton ? `${nameOf(widget)}: ${value}` : nameOf(widget)
  return [{ lines: [checked ? "[x]" : "[ ]"], name, rect: widget.rect, isBox: true }]
}

const isBox = ({ checkBox, radioButton }: PageAnnotation): boolean =>
  checkBox === true || radioButton === true

/**
 * The filled form fields of a page. Boxes that are not checked count beside ones that are.
 * @param signatures by the ID of their widget
 */
export const readFormFields = (
  annotations: readonly PageAnnotation[],
  signatures: ReadonlyMap<string, string>,
): FilledField[] => {
  const widgets = annotations.filter(({ subtype }) => subtype === "Widget")
  const hasChecked = widgets.some((widget) => isBox(widget) && isChecked(widget))
  return widgets.flatMap((widget): FilledField[] => {
    if (isBox(widget)) return readBox(widget, hasChecked)
    const lines = readValue(widget, signatures)
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .filter(Boolean)
    return lines.length > 0
      ? [{ lines, name: nameOf(widget), rect: widget.rect, isBox: false }]
      : []
  })
}

/** What pdf.js tells about a field, whether a page shows it or not. */
interface FieldObject {
  id: string
  type: string
  value?: unknown
  password?: boolean
}

const valueTypes = new Set(["text", "checkbox", "radiobutton", "combobox", "listbox"])

/** pdf.js lists the fields of a document in quadratic time. */
const maxListed = 20_000

/** Fields that no page shows, such as those of a form that only some viewers can show. */
export const readFieldsWithoutPage = async (
  pdf: PdfDocument,
  idsOnPages: ReadonlySet<string>,
): Promise<string[]> => {
  if (idsOnPages.size > maxListed) return []
  const fields = ((await pdf.getFieldObjects()) ?? new Map()) as Map<string, FieldObject[]>
  return Array.from(fields).flatMap(([fieldName, widgets]) => {
    const isOnPage = widgets.some(({ id }) => idsOnPages.has(id))
    const values = widgets
      .filter(({ type, password }) => valueTypes.has(type) && !password)
      .flatMap(({ value }) => (Array.isArray(value) ? value : [value]))
      .filter((value) => typeof value === "string" && value.trim() !== "" && value !== "Off")
    if (isOnPage || values.length === 0) return []
    return [`${lastPart(fieldName)}: ${[...new Set(values)].join(", ")}`]
  })
}
