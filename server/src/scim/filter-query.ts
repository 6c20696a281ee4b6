/** A string in the raw text of a filter, whose quotes and backslashes may be percent-encoded. */
const quotedValue = /(?:%22|")(?:(?:%5C|\\)(?:%[0-9A-F]{2}|[^%])|(?!%22|%5C)[^"\\])*(?:%22|")/gi
/** Text before a value of an attribute that contains no spaces. */
const spacelessAttribute =
  /(?:^|[\s.([+=])(?:userName|externalId|id|value|emails|\$ref)[\s+]+\w\w[\s+]*$/i
const maxAttributeLength = 100

const encodeIn = (pair: string): string => {
  const writesPlusForSpaces = pair.replace(quotedValue, "").includes("+")
  return pair.replace(quotedValue, (value, at: number) => {
    const before = pair.slice(Math.max(0, at - maxAttributeLength), at)
    const text = before.replaceAll("%20", " ").replaceAll(/%5B/gi, "[")
    const isMeant = !writesPlusForSpaces || spacelessAttribute.test(text)
    return isMeant ? value.replaceAll("+", "%2B") : value
  })
}

/**
 * Encodes `+` in quoted values of a query's filter where it is meant as written (RFC 3986 §3.4), as
 * form-decoding makes it a space. A client that writes `+` between the words of a filter means a
 * space by it, except in addresses and IDs.
 */
export const encodePlusSigns = (query: string): string =>
  query
    .split("&")
    .map((pair) => (/^filter=/i.test(pair) ? encodeIn(pair) : pair))
    .join("&")
