/** Prefixes under which the OpenAI-compatible routes are mounted, as aliases of each other. */
export const aliasPrefixes = ["/api/v1", "/api", "/v1"] as const

/** All paths of a route; only its own if the route has no aliases. */
const aliasesOf = (path: string, isAliased: boolean): readonly string[] => {
  const prefix = isAliased && aliasPrefixes.find((known) => path.startsWith(`${known}/`))
  return prefix ? aliasPrefixes.map((known) => known + path.slice(prefix.length)) : [path]
}

const stripTrailingSlash = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : path)

const matchesEntry = (entry: string, path: string): boolean => {
  if (!entry.endsWith("*")) return path === stripTrailingSlash(entry)
  const prefix = entry.slice(0, -1)
  return path.startsWith(prefix) || path === stripTrailingSlash(prefix)
}

/**
 * Whether a key's `allowed_routes` permit a request. An entry is a path, or a prefix ending in `*`.
 * @param isAliased whether the matched route is OpenAI-compatible, so that its aliases are
 *   interchangeable; the path does not show it, because other routes share these prefixes
 */
export const isRouteAllowed = (
  allowed: readonly string[],
  { path, isAliased }: { path: string; isAliased: boolean },
): boolean =>
  aliasesOf(path, isAliased).some((name) => allowed.some((entry) => matchesEntry(entry, name)))
