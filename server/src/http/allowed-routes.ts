/** Where the OpenAI-style routes are mounted: each has one name below every prefix, all alike. */
export const aliasPrefixes = ["/api/v1", "/api", "/v1"] as const

/** All names of a route; one that is no alias has its own path alone. */
const namesOf = (path: string, isAliased: boolean): readonly string[] => {
  const prefix = isAliased && aliasPrefixes.find((known) => path.startsWith(`${known}/`))
  return prefix ? aliasPrefixes.map((known) => known + path.slice(prefix.length)) : [path]
}

const withoutLastSlash = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : path)

const covers = (entry: string, path: string): boolean => {
  if (!entry.endsWith("*")) return path === withoutLastSlash(entry)
  const prefix = entry.slice(0, -1)
  return path.startsWith(prefix) || path === withoutLastSlash(prefix)
}

/**
 * Whether a key's list of routes covers a call. An entry is a path, or a prefix that ends in `*`.
 * @param isAliased whether the route that answers is an OpenAI-style one, whose names count as one;
 *   its path alone does not tell, as other routes stand below the same prefixes
 */
export const routeAllowed = (
  allowed: readonly string[],
  { path, isAliased }: { path: string; isAliased: boolean },
): boolean => namesOf(path, isAliased).some((name) => allowed.some((entry) => covers(entry, name)))
