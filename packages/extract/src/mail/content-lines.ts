import type { Block } from "../blocks.ts"

interface ContentLine {
  name: string
  parameters: ReadonlyMap<string, string>
  value: string
}

/** Properties that a reader wants to know, by their names in iCalendar and vCard. */
const labelByName = new Map([
  ["SUMMARY", "Summary"],
  ["DTSTART", "Start"],
  ["DTEND", "End"],
  ["DUE", "Due"],
  ["DURATION", "Duration"],
  ["STATUS", "Status"],
  ["RRULE", "Recurrence"],
  ["LOCATION", "Location"],
  ["ORGANIZER", "Organizer"],
  ["ATTENDEE", "Attendee"],
  ["DESCRIPTION", "Description"],
  ["COMMENT", "Comment"],
  ["CATEGORIES", "Categories"],
  ["FN", "Name"],
  ["NICKNAME", "Nickname"],
  ["ORG", "Company"],
  ["TITLE", "Job title"],
  ["ROLE", "Role"],
  ["TEL", "Phone"],
  ["EMAIL", "E-mail"],
  ["ADR", "Address"],
  ["BDAY", "Birthday"],
  ["URL", "URL"],
  ["NOTE", "Note"],
])
const cancelled = "Status: CANCELLED"
const readComponents = new Set(["VEVENT", "VTODO", "VJOURNAL", "VCARD"])

const removeLastCharacter = (pieces: string[] = []): void => {
  pieces.push((pieces.pop() ?? "").slice(0, -1))
}

/** Long lines are continued in the next ones, after a space, or after `=` in vCard 2.1. */
const unfold = (text: string): string[] => {
  const lines: string[][] = []
  let isSoftBreak = false
  for (const line of text.split(/\r?\n/)) {
    const last = lines.at(-1)
    if (isSoftBreak) last?.push(line)
    else if (/^[ \t]/.test(line)) last?.push(line.slice(1))
    else lines.push([line])
    const isQuotedPrintable: boolean = isSoftBreak || /^[^:]*quoted-printable/i.test(line)
    isSoftBreak = isQuotedPrintable && line.endsWith("=")
    if (isSoftBreak) removeLastCharacter(lines.at(-1))
  }
  return lines.map((pieces) => pieces.join(""))
}

const parseLine = (line: string): ContentLine | null => {
  const [, name = "", rest = "", value = ""] =
    /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line) ?? []
  if (name === "") return null
  const parameters = new Map<string, string>()
  for (const [, key = "", quoted, plain = ""] of rest.matchAll(/;([\w-]+)=(?:"([^"]*)"|([^;]*))/g))
    parameters.set(key.toUpperCase(), quoted ?? plain)
  return { name: name.toUpperCase(), parameters, value }
}

const unescapeValue = (value: string): string =>
  value.replace(/\\(.)/g, (_, sign: string) => (/n/i.test(sign) ? "\n" : sign))

const decodeQuotedPrintable = ({ parameters, value }: ContentLine): string => {
  const bytes = value.replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  try {
    return new TextDecoder(parameters.get("CHARSET") ?? "utf-8").decode(
      Buffer.from(bytes, "latin1"),
    )
  } catch {
    return bytes
  }
}

const formatTime = (value: string, zone: string | undefined): string => {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(value) ?? []
  if (!year) return value
  const date = `${year}-${month}-${day}`
  if (!hour) return date
  const zoneName = utc ? " UTC" : zone ? ` (${zone})` : ""
  return `${date} ${hour}:${minute}${zoneName}`
}

const formatValue = (line: ContentLine): string => {
  const { name, parameters, value } = line
  if (name === "DTSTART" || name === "DTEND" || name === "DUE")
    return formatTime(value, parameters.get("TZID"))
  if (/^quoted-printable$/i.test(parameters.get("ENCODING") ?? ""))
    return decodeQuotedPrintable(line)
  const person = parameters.get("CN")
  const text = unescapeValue(value).replace(/^mailto:/i, "")
  if (person) return `${person} <${text}>`
  const isStructured = name === "ADR" || name === "ORG"
  return isStructured ? text.split(";").filter(Boolean).join(", ") : text
}

/** Family name, given name, other names, prefix and suffix as people write them. */
const formatName = (value: string): string => {
  const [family, given, others, prefix, suffix] = value.split(";")
  return [prefix, given, others, family, suffix].filter(Boolean).join(" ")
}

/** Collects the values of one component after the other. */
class ComponentReader {
  readonly #blocks: Block[] = []
  readonly #open: string[] = []
  #values: string[] = []
  /** The parts of a contact's name, for contacts without a formatted one. */
  #name = ""
  #isCancelled = false

  begin(component: string): void {
    if (readComponents.has(component)) this.#flush()
    if (component === "VCALENDAR") this.#isCancelled = false
    this.#open.push(component)
  }

  /** Ends a component, and those within it whose ends are missing. */
  end(component: string): void {
    if (!readComponents.has(component)) {
      if (this.#open.at(-1) === component) this.#open.pop()
      return
    }
    this.#flush()
    while (this.#open.length > 0 && this.#open.pop() !== component);
  }

  add(line: ContentLine): void {
    if (line.name === "METHOD") this.#isCancelled = /^cancel$/i.test(line.value.trim())
    if (!readComponents.has(this.#open.at(-1) ?? "")) return
    if (line.name === "N") this.#name = formatName(formatValue(line))
    const label = labelByName.get(line.name)
    const value = label ? formatValue(line) : ""
    if (value) this.#values.push(`${label}: ${value}`)
  }

  finish(): Block[] {
    this.#flush()
    return this.#blocks
  }

  #flush(): void {
    const values = this.#values
    if (this.#name && !values.some((value) => value.startsWith("Name: ")))
      values.unshift(`Name: ${this.#name}`)
    this.#values = []
    this.#name = ""
    if (values.length === 0) return
    if (this.#isCancelled && !values.includes(cancelled)) values.push(cancelled)
    this.#blocks.push({ text: values.join("\n"), kind: "paragraph", location: {} })
  }
}

/** Events and tasks of a calendar (RFC 5545), or contacts (RFC 6350): a paragraph for each. */
export const readContentLines = (text: string): Block[] => {
  const reader = new ComponentReader()
  for (const source of unfold(text)) {
    const line = parseLine(source)
    if (line?.name === "BEGIN") reader.begin(line.value.trim().toUpperCase())
    else if (line?.name === "END") reader.end(line.value.trim().toUpperCase())
    else if (line) reader.add(line)
  }
  return reader.finish()
}
