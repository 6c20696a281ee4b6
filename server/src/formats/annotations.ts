import { type Fields, isObject, numberOf, objectsIn, textOf } from "./json-values.ts"

/** An annotation of a chat completion as one of a text that begins later in the message. */
export const shiftAnnotation = (annotation: Fields, characters: number): Fields => {
  const { url_citation } = annotation
  if (characters === 0 || !isObject(url_citation)) return annotation
  const shift = (index: unknown): number => Math.max(0, numberOf(index) - characters)
  const { start_index, end_index } = url_citation
  const shifted = { start_index: shift(start_index), end_index: shift(end_index) }
  return { ...annotation, url_citation: { ...url_citation, ...shifted } }
}

const urlCitationOf = ({ url_citation }: Fields): Fields | null =>
  isObject(url_citation) && textOf(url_citation.url) !== "" ? url_citation : null

/** Some servers have the form of the Responses API. */
const toNested = (annotation: Fields): Fields => {
  const { type, url_citation, ...citation } = annotation
  return type === "url_citation" && !isObject(url_citation)
    ? { type, url_citation: citation }
    : annotation
}

/** A citation of the whole text, as servers that search the web list them. */
const toListed = (source: unknown): Fields => {
  const { url, title } = isObject(source) ? source : { url: source, title: "" }
  const url_citation = { url, title: textOf(title), start_index: 0, end_index: 0 }
  return { type: "url_citation", url_citation }
}

/**
 * The annotations of a message, or of a delta of one.
 * @param owner a completion or a chunk: Perplexity and others list what they found there
 */
export const annotationsIn = (message: Fields, owner: Fields): Fields[] => {
  const { annotations, citations = owner.citations } = message
  if (Array.isArray(annotations)) return objectsIn(annotations).map(toNested)
  const { search_results } = owner
  const sources = [search_results, citations].find((list) => Array.isArray(list) && list.length > 0)
  return Array.isArray(sources) ? sources.map(toListed) : []
}

/** Whether every format has this kind of annotation. */
export const isUrlCitation = (annotation: Fields): boolean => urlCitationOf(annotation) !== null

/** The annotation of the Responses API's text; null if it is of another kind. */
export const toTextAnnotation = (annotation: Fields): Fields | null => {
  const citation = urlCitationOf(annotation)
  if (!citation) return null
  const { url, title, start_index, end_index } = citation
  const range = { start_index: numberOf(start_index), end_index: numberOf(end_index) }
  return { type: "url_citation", url, title: textOf(title), ...range }
}

/**
 * The citation of a text block of Anthropic's API; null if it is of another kind. The empty
 * `encrypted_index` shows that it is none of Anthropic's own: see `removeForeignContent`.
 */
export const toBlockCitation = (annotation: Fields): Fields | null => {
  const citation = urlCitationOf(annotation)
  if (!citation) return null
  const { url, title, content } = citation
  const source = { url, title: textOf(title), encrypted_index: "" }
  return { type: "web_search_result_location", ...source, cited_text: textOf(content) }
}

export const isGatewayCitation = ({ encrypted_index }: Fields): boolean => encrypted_index === ""

const address = /^https?:\/\//

/** The annotation of a chat completion; null if the citation has no address, as those of documents. */
const toAnnotation = (
  { url, source, title, cited_text }: Fields,
  start_index: number,
  end_index: number,
): Fields | null => {
  const found = [url, source].map(textOf).find((text) => address.test(text))
  if (found === undefined) return null
  const cited = textOf(cited_text)
  const citation = { url: found, title: textOf(title), start_index, end_index }
  return {
    type: "url_citation",
    url_citation: { ...citation, ...(cited !== "" && { content: cited }) },
  }
}

/**
 * The annotations of a text with these citations of Anthropic's API.
 * @param start where the text begins in the message, in characters
 * @param reportDropped called for citations that have no address
 */
export const toAnnotations = (
  citations: unknown,
  { start, end }: { start: number; end: number },
  reportDropped: () => void,
): Fields[] =>
  objectsIn(citations).flatMap((citation) => {
    const annotation = toAnnotation(citation, start, end)
    if (!annotation) reportDropped()
    return annotation ? [annotation] : []
  })
