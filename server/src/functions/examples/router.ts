import type { ChatRequest, Context, Message, Setting } from "portico"

export const name = "Router"
export const description = "Sends each request to the most suitable model"

const textSetting = (label: string, description: string): Setting => ({ label, description })

export const settings: Record<string, Setting> = {
  usual: {
    ...textSetting("Default model", "Id of the model for all other requests."),
    required: true,
  },
  pictures: textSetting("For images", "A vision model; leave empty to use the default model."),
  tools: textSetting("For tools", "For requests with tools."),
  code: textSetting("For code", "For messages that contain code."),
  long: textSetting("For long conversations", "A model with a large context window."),
  long_from: {
    type: "number",
    label: "Long conversation threshold",
    description: "Total number of characters in all messages.",
    default: 20_000,
    min: 1,
  },
  languages: {
    type: "text",
    multiline: true,
    label: "For languages",
    description:
      "One per line, for example de = mistral-small. The language is detected by its script and common words.",
  },
}

const textOf = ({ content }: Message): string => {
  if (typeof content === "string") return content
  return (content ?? []).map(({ text = "" }) => text).join("\n")
}

const hasPicture = ({ content }: Message): boolean =>
  Array.isArray(content) && content.some(({ type }) => type === "image_url")

const scripts: [string, RegExp][] = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["ko", /\p{Script=Hangul}/u],
  ["zh", /\p{Script=Han}/u],
  ["ru", /\p{Script=Cyrillic}/u],
  ["ar", /\p{Script=Arabic}/u],
  ["el", /\p{Script=Greek}/u],
  ["he", /\p{Script=Hebrew}/u],
  ["hi", /\p{Script=Devanagari}/u],
  ["th", /\p{Script=Thai}/u],
]

/** Common short words that are rare in related languages. */
const smallWords: Record<string, string[]> = {
  en: ["the", "and", "is", "of", "what", "how", "with", "you"],
  de: ["der", "die", "das", "und", "ist", "nicht", "wie", "ein", "mit", "ich"],
  fr: ["le", "les", "est", "une", "des", "dans", "pour", "vous", "je", "que"],
  es: ["el", "los", "una", "por", "para", "como", "qué", "cómo", "con", "es"],
  it: ["il", "gli", "che", "una", "per", "sono", "come", "di", "non"],
  pt: ["os", "uma", "para", "não", "como", "com", "você", "que"],
  nl: ["het", "een", "niet", "van", "hoe", "wat", "met", "ik"],
}

/** Detects a language by its script, otherwise by common words; null if undecided. */
const languageOf = (text: string): string | null => {
  const script = scripts.find(([, letters]) => letters.test(text))
  if (script) return script[0]
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const counts = Object.entries(smallWords).map(
    ([language, small]) => [language, words.filter((word) => small.includes(word)).length] as const,
  )
  const [best, second] = counts.sort((a, b) => b[1] - a[1])
  return best && second && best[1] > second[1] ? best[0] : null
}

const modelForLanguage = (language: string | null, lines: string): string | undefined => {
  for (const line of lines.split("\n")) {
    const [ruleLanguage = "", model = ""] = line.split("=").map((part) => part.trim())
    if (model !== "" && ruleLanguage.toLowerCase() === language) return model
  }
  return undefined
}

export const reply = (request: ChatRequest, { settings, log }: Context) => {
  const chosen = (name: string): string => String(settings[name] ?? "")
  const { messages } = request
  const last = messages.findLast(({ role }) => role === "user")
  const text = last ? textOf(last) : ""
  const length = messages.reduce((sum, message) => sum + textOf(message).length, 0)
  const rules: [string, boolean, string | undefined][] = [
    ["pictures", messages.some(hasPicture), chosen("pictures")],
    ["tools", (request.tools ?? []).length > 0, chosen("tools")],
    ["length", length >= Number(settings.long_from), chosen("long")],
    ["code", /```|\b(function|class|import|SELECT|def)\b.*[({;]/.test(text), chosen("code")],
    ["language", true, modelForLanguage(languageOf(text), chosen("languages"))],
  ]
  const rule = rules.find(([, fits, named]) => fits && named)
  const [why, , model = chosen("usual")] = rule ?? ["usual", true]
  log(`${model} (${why})`)
  return { ...request, model }
}
