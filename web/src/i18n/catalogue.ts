import type { administration } from "./en/administration.ts"
import type { en } from "./en.ts"

/** A text, or its plural forms; `{name}` is a placeholder. */
export type Message = string | { one: string; other: string }

/** The texts of one language that any page may use. */
export type Catalogue = Record<keyof typeof en, Message>

/** The texts of one language that only pages of the administration use. */
export type AdministrationCatalogue = Record<keyof typeof administration, Message>
