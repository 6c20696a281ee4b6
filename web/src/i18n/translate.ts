import type { MessageReference } from "../../../server/src/i18n/message.ts"
import { readLocalStorage, writeLocalStorage } from "../browser/local-storage.ts"
import { createValueStore } from "../browser/value-store.ts"
import type { AdministrationCatalogue, Catalogue } from "./catalogue.ts"
import { en } from "./en.ts"
import { type ServerMessages, translateMessage } from "./server-messages.ts"

type AllTexts = Catalogue & AdministrationCatalogue
export type MessageKey = keyof AllTexts

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
    loadAdministration: async (): Promise<AdministrationCatalogue> =>
      (await import("./en/administration.ts")).administration,
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
    loadAdministration: async (): Promise<AdministrationCatalogue> =>
      (await import("./de/administration.ts")).administration,
  },
} as const
export type Language = keyof typeof languages

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

const language = createValueStore<Language>("en")
/** Texts of the administration are missing until a page of it is opened. */
let catalogue: Catalogue & Partial<AdministrationCatalogue> = en
let serverMessages: ServerMessages | null = null
let isAdministrationOpen = false

const applyLanguage = async (next: Language): Promise<void> => {
  const texts = await languages[next].load()
  const administration = isAdministrationOpen && (await languages[next].loadAdministration())
  catalogue = { ...texts.catalogue, ...administration }
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

/** Call it before a page of the administration is drawn; a later change of language includes them. */
export const loadAdministrationTexts = async (): Promise<void> => {
  isAdministrationOpen = true
  const current = language.get()
  const administration = await languages[current].loadAdministration()
  // A language that was chosen meanwhile has brought its own.
  if (language.get() === current) catalogue = { ...catalogue, ...administration }
}

export const currentLanguage = language.get

export type MessageValues = Record<string, string | number>

const fillPlaceholders = (text: string, values: MessageValues): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    if (value === undefined) return whole
    return typeof value === "number" ? new Intl.NumberFormat(language.get()).format(value) : value
  })

/** Whether a text that is put together, such as from an event's name, is a key of a loaded text. */
export const isMessageKey = (text: string): text is MessageKey => Object.hasOwn(catalogue, text)

/** The message in the current language; `count` selects the plural form. */
export const t = (key: MessageKey, values: MessageValues = {}): string => {
  // Pages use keys of the administration only after loading their texts, as a test checks.
  const message = (catalogue as AllTexts)[key]
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
