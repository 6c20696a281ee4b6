import { findChild, findChildren, type XmlElement } from "../ooxml/office-xml.ts"
import { isEnabled, readValue } from "./styles.ts"

const checkBox = (isChecked: boolean): string => (isChecked ? "☒" : "☐")

/** What a legacy form field shows (ECMA-376 part 1, §17.16.17); undefined if its result is text. */
export const formFieldValue = (fieldCharacter: XmlElement): string | undefined => {
  const data = findChild(fieldCharacter, "ffData")
  const box = findChild(data, "checkBox")
  if (box) return checkBox(isEnabled(box, "checked") ?? isEnabled(box, "default") ?? false)
  const list = findChild(data, "ddList")
  if (!list) return undefined
  const chosen = Number(readValue(list, "result") ?? readValue(list, "default") ?? 0)
  return findChildren(list, "listEntry")[chosen]?.attributes["w:val"] ?? ""
}

/** @returns undefined if the content control is not a check box */
export const checkBoxControlValue = (control: XmlElement): string | undefined => {
  const box = findChild(findChild(control, "sdtPr"), "checkbox")
  const state = findChild(box, "checked")?.attributes
  return box && checkBox(/^(1|true|on)$/.test(state?.["w14:val"] ?? state?.["w:val"] ?? "0"))
}
