/** Folds case for comparison and uniqueness; SQLite's own `lower()` knows ASCII only. */
export const foldCase = (text: string): string => text.normalize("NFC").toLowerCase()

/** Escapes `%`, `_` and `\` for a `like … escape '\'` pattern. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&")
