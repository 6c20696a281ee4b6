const minWords = 3
/** Names of files, and descriptions that a program made itself. */
const notWritten =
  /\\|:\/\/|\.(bmp|emf|gif|jpe?g|png|svg|tiff?|wmf)\b|generated (with|by)|(automatically|AI-) ?generated|(automatisch |KI-)generiert/i

/** The alternative text of a picture as a sentence of the document; empty if nobody wrote it. */
export const describePicture = (alternativeText: string): string => {
  const text = alternativeText.replace(/\s+/g, " ").trim()
  const isWritten = !notWritten.test(text) && text.split(" ").length >= minWords
  return isWritten ? `Picture: ${text}` : ""
}
