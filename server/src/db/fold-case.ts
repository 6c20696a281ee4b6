/**
 * Folds case for comparison and uniqueness; SQLite's own `lower()` knows ASCII only. By way of
 * upper case, as some letters have two small forms (σ and ς).
 */
export const foldCase = (text: string): string =>
  text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")
