import type { ChatRequest, Context, Setting } from "portico"

export const name = "Redact"
export const description =
  "Masks e-mail addresses, card numbers and secrets before a request leaves"

export const settings: Record<string, Setting> = {
  emails: { type: "boolean", label: "E-mail addresses", default: true },
  cards: {
    type: "boolean",
    label: "Card numbers",
    description: "Numbers of 13 to 19 digits with a valid check digit.",
    default: true,
  },
  secrets: {
    type: "boolean",
    label: "Secrets",
    description: "API keys, tokens, private keys, and passwords labeled as such.",
    default: true,
  },
  more: {
    type: "text",
    multiline: true,
    label: "Additional patterns",
    description: "One regular expression per line, for example \\bCUST-\\d{6}\\b",
  },
}

const email = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu
const digits = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]?\d)/g
const secrets = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bAIza[\w-]{35}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
]
/** Values after a label such as "password:"; only the value is masked. */
const labeled =
  /((?:password|passwd|passwort|pwd|secret|token|api[-_ ]?key)["']?\s*[:=]\s*["']?)([^\s"',;]{6,})|(\bBearer\s+)([\w.~+/-]{12,}=*)/gi

/** Validates a card number's check digit (Luhn algorithm, ISO/IEC 7812-1). */
const isCard = (text: string): boolean => {
  const all = text.replace(/\D/g, "")
  let sum = 0
  for (let at = 0; at < all.length; at++) {
    const digit = Number(all[all.length - 1 - at])
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0 && !/^(\d)\1*$/.test(all)
}

/** Equal values get the same mark throughout a request, so that the model can tell them apart. */
const createMarks = () => {
  const markByValue = new Map<string, string>()
  const counts = new Map<string, number>()
  return {
    mark: (kind: string, value: string): string => {
      const key = `${kind}:${value}`
      const before = markByValue.get(key)
      if (before !== undefined) return before
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      const mark = `[${kind} ${count}]`
      markByValue.set(key, mark)
      return mark
    },
    /** Number of masked values of each kind, for the log. */
    counts: () => Object.fromEntries(counts),
  }
}

type Marks = ReturnType<typeof createMarks>

const patternsOf = ({ settings: chosen, log }: Context): RegExp[] =>
  String(chosen.more ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      try {
        return [new RegExp(line.trim(), "gu")]
      } catch (error) {
        log.warn(`"${line}" is not a valid regular expression:`, String(error))
        return []
      }
    })

interface RedactOptions {
  chosen: Context["settings"]
  more: RegExp[]
}

const maskLabeled = (text: string, marks: Marks): string =>
  text.replace(labeled, (_whole, name, value, bearer, token) => {
    if (name === undefined) return `${bearer}${marks.mark("secret", token)}`
    return name + (value.startsWith("[secret") ? value : marks.mark("secret", value))
  })

const maskText = (text: string, marks: Marks, { chosen, more }: RedactOptions): string => {
  let clean = text
  const mask = (pattern: RegExp, kind: string): void => {
    clean = clean.replace(pattern, (value) => marks.mark(kind, value))
  }
  if (chosen.secrets) {
    for (const pattern of secrets) mask(pattern, "secret")
    clean = maskLabeled(clean, marks)
  }
  if (chosen.emails) mask(email, "e-mail")
  if (chosen.cards) {
    clean = clean.replace(digits, (value) => (isCard(value) ? marks.mark("card", value) : value))
  }
  for (const pattern of more) mask(pattern, "hidden")
  return clean
}

/** An attached image or audio file, which contains no text. */
const dataUrl = /^data:[\w.+/-]+;base64,[A-Za-z0-9+/=]*$/

/** Applies `change` to every string in a value: contents, parts, names, tool arguments. */
const mapStrings = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return dataUrl.test(value) ? value : change(value)
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, mapStrings(one, change)])
  return Object.fromEntries(entries)
}

export const before = (request: ChatRequest, context: Context): ChatRequest => {
  const marks = createMarks()
  const options = { chosen: context.settings, more: patternsOf(context) }
  const change = (text: string): string => maskText(text, marks, options)
  const messages = request.messages.map((message) => ({
    ...message,
    ...Object.fromEntries(
      Object.entries(message).map(([key, value]) => [
        key,
        key === "role" ? value : mapStrings(value, change),
      ]),
    ),
  }))
  const counts = marks.counts()
  if (Object.keys(counts).length > 0) context.log("masked", counts)
  return { ...request, messages }
}
