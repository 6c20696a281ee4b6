import type { en } from "./en.ts"

/** A text, or its plural forms; `{name}` is a placeholder. */
export type Message = string | { one: string; other: string }

/** All texts of one language. */
export type Catalogue = Record<keyof typeof en, Message>
