import type { MessageReference } from "../../../server/src/i18n/message.ts"
import { readLocalStorage, writeLocalStorage } from "../browser/local-storage.ts"
import { createValueStore } from "../browser/value-store.ts"
import type { Catalogue } from "./catalogue.ts"
import { en } from "./en.ts"
import { type ServerMessages, translateMessage } from "./server-messages.ts"

export type MessageKey = keyof Catalogue
/** Whether a text that is put together, such as from an event's name, is a key. */
export const isMessageKey = (text: string): text is MessageKey => Object.hasOwn(en, text)

interface Texts {
  catalogue: Catalogue
  /** Translations of the gateway's messages; null for English, in which it sends them. */
  serverMessages: ServerMessages | null
}

/** To add a language, add a file next to en.ts and a line here. */
export const languages = {
  en: {
    name: "English",
    load: async (): Promise<Texts> => ({ catalogue: en, serverMessages: null }),
  },
  de: {
    name: "Deutsch",
    load: async (): Promise<Texts> => {
      const [{ de }, { serverMessages }] = await Promise.all([
        import("./de.ts"),
        import("./de/server-messages.ts"),
      ])
      return { catalogue: de, serverMessages }
    },
  },
} as const
export type Language = keyof typeof languages

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

const language = createValueStore<Language>("en")
let catalogue: Catalogue = en
let serverMessages: ServerMessages | null = null

const applyLanguage = async (next: Language): Promise<void> => {
  const texts = await languages[next].load()
  catalogue = texts.catalogue
  serverMessages = texts.serverMessages
  document.documentElement.lang = next
  language.set(next)
}

const browserLanguage = (): Language =>
  navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? "en"

/** Uses the language chosen earlier, or else the browser's. */
export const initLanguage = (): Promise<void> => {
  const stored = readLocalStorage("language")
  return applyLanguage(stored && isLanguage(stored) ? stored : browserLanguage())
}

/** `null` returns to the browser's language. */
export const chooseLanguage = (next: Language | null): Promise<void> => {
  writeLocalStorage("language", next)
  return applyLanguage(next ?? browserLanguage())
}

export const currentLanguage = language.get

export type MessageValues = Record<string, string | number>

const fillPlaceholders = (text: string, values: MessageValues): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    if (value === undefined) return whole
    return typeof value === "number" ? new Intl.NumberFormat(language.get()).format(value) : value
  })

/** The message in the current language; `count` selects the plural form. */
export const t = (key: MessageKey, values: MessageValues = {}): string => {
  const message = catalogue[key]
  if (typeof message === "string") return fillPlaceholders(message, values)
  const form = new Intl.PluralRules(language.get()).select(Number(values.count)) === "one"
  return fillPlaceholders(form ? message.one : message.other, values)
}

/** The ID and values that a text comes with, if it is one that pages translate. */
interface OptionalReference {
  id?: string | undefined
  values?: MessageReference["values"] | undefined
}

/**
 * A text of the gateway in the current language, or as it is if no translation is known.
 */
export const translateServerText = (
  text: string,
  reference: OptionalReference | null | undefined,
): string => {
  const { id, values = {} } = reference ?? {}
  if (serverMessages === null || id === undefined) return text
  return translateMessage({ id, values }, serverMessages) ?? text
}

/** Re-renders the component when the language changes. */
export const useLanguage = language.useValue
