import { useSyncExternalStore } from "react"
import { readStored, writeStored } from "../lib/stored.ts"
import { en } from "./en.ts"

/** A sentence, or its forms by number; `{name}` stands for what is put in. */
export type Message = string | { one: string; other: string }
export type MessageKey = keyof typeof en
export type Catalogue = Record<MessageKey, Message>

/** Every language there is: a file beside en.ts and a line here. */
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

/** The language chosen before, else the browser's. */
export const startLanguage = (): Promise<void> => {
  const stored = readStored("language")
  return use(stored && isLanguage(stored) ? stored : browsers())
}

/** null goes back to the browser's. */
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

/** A message in the page's language; `count` chooses its form. */
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

/** Draws a component anew when the language changes. */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, () => language)
