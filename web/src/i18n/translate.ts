import { useSyncExternalStore } from "react"
import { readStored, writeStored } from "../lib/stored.ts"
import { en } from "./en.ts"

/** A text, or its plural forms; `{name}` is a placeholder. */
export type Message = string | { one: string; other: string }
export type MessageKey = keyof typeof en
export type Catalogue = Record<MessageKey, Message>

/** To add a language, add a file next to en.ts and a line here. */
export const languages = {
  en: { name: "English", load: async (): Promise<Catalogue> => en },
  de: { name: "Deutsch", load: async (): Promise<Catalogue> => (await import("./de.ts")).de },
} as const
export type Language = keyof typeof languages

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

let language: Language = "en"
let catalogue: Catalogue = en
const listeners = new Set<() => void>()

const use = async (next: Language): Promise<void> => {
  catalogue = await languages[next].load()
  language = next
  document.documentElement.lang = next
  for (const listener of listeners) listener()
}

const browsers = (): Language =>
  navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? "en"

/** Uses the language chosen earlier, or else the browser's. */
export const startLanguage = (): Promise<void> => {
  const stored = readStored("language")
  return use(stored && isLanguage(stored) ? stored : browsers())
}

/** `null` returns to the browser's language. */
export const chooseLanguage = (next: Language | null): Promise<void> => {
  writeStored("language", next)
  return use(next ?? browsers())
}

export const currentLanguage = (): Language => language

export type Values = Record<string, string | number>

const fill = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    if (value === undefined) return whole
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value
  })

/** The message in the current language; `count` selects the plural form. */
export const t = (key: MessageKey, values: Values = {}): string => {
  const message = catalogue[key]
  if (typeof message === "string") return fill(message, values)
  const form = new Intl.PluralRules(language).select(Number(values.count)) === "one"
  return fill(form ? message.one : message.other, values)
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Re-renders the component when the language changes. */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, () => language)
