const minWords = 3

/** The alternative text of a picture as a sentence of the document; empty for names of files. */
export const describePicture = (alternativeText: string): string => {
  const text = alternativeText.replace(/\s+/g, " ").trim()
  const isFileName = /^\w+:|\.(png|jpe?g|gif|bmp|emf|wmf|svg|tiff?)$/i.test(text)
  return isFileName || text.split(" ").length < minWords ? "" : `Picture: ${text}`
}
