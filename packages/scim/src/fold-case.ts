/** Folds case by way of upper case, as some letters have two lower-case forms (σ and ς). */
export const foldCase = (text: string): string =>
  text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")
