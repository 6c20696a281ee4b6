/** An escaped character or a quote; both may be percent-encoded. */
const escapeOrQuote = /(?:%5C|\\)(?:%[0-9A-F]{2}|[^%])|%22|"/gi
/** Text before a value of an attribute that contains no spaces. */
const spacelessAttribute =
  /(?:^|[\s.([+=:])(?:userName|externalId|id|value|emails|\$ref|created|lastModified)[\s+]+\w\w[\s+]*$/i
const maxAttributeLength = 100

const isQuote = (text: string): boolean => text === '"' || text === "%22"

/** Splits the raw text of a filter at its quotes: every second part is a quoted value. */
const splitAtQuotes = (pair: string): string[] => {
  const quotes = [...pair.matchAll(escapeOrQuote)].filter(([text]) => isQuote(text))
  const starts = [0, ...quotes.map(({ index }) => index)]
  return starts.map((start, at) => pair.slice(start, starts[at + 1]))
}

const encodeIn = (pair: string): string => {
  const parts = splitAtQuotes(pair)
  const isQuoted = (at: number): boolean => at % 2 === 1
  const writesPlusForSpaces = parts.some((part, at) => !isQuoted(at) && part.includes("+"))
  const encodePart = (part: string, at: number): string => {
    if (!isQuoted(at)) return part
    const before = (parts[at - 1] ?? "").slice(-maxAttributeLength)
    const text = before.replaceAll(/%[2-7][0-9A-F]/gi, decodeURIComponent).replace(/^"/, "")
    const isMeant = !writesPlusForSpaces || spacelessAttribute.test(text)
    return isMeant ? part.replaceAll("+", "%2B") : part
  }
  return parts.map(encodePart).join("")
}

/**
 * Encodes `+` in quoted values of a query's filter where it is meant as written (RFC 3986 §3.4), as
 * form-decoding makes it a space. A client that writes `+` between the words of a filter means a
 * space by it, except in addresses, IDs and times.
 */
export const encodePlusSigns = (query: string): string =>
  query
    .split("&")
    .map((pair) => (/^filter=/i.test(pair) ? encodeIn(pair) : pair))
    .join("&")
