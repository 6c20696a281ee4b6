const aliased =
  /^\/(?:api\/v1|api|v1)\/(chat\/completions|completions|embeddings|models|responses|messages)(?=\/|\*|$)/

/** One name for the aliases of an OpenAI-style route. */
const canonical = (path: string): string => path.replace(aliased, "/v1/$1")

/**
 * Whether a key's list of routes covers `path`. An entry is a path, or a prefix that ends in `*`;
 * the aliases of an OpenAI-style route count as one.
 */
export const routeAllowed = (allowed: readonly string[], path: string): boolean => {
  const wanted = canonical(path)
  return allowed.some((entry) => covers(entry, path) || covers(canonical(entry), wanted))
}

const covers = (entry: string, path: string): boolean => {
  if (!entry.endsWith("*")) return path === entry.replace(/\/$/, "")
  const prefix = entry.slice(0, -1)
  return path.startsWith(prefix) || path === prefix.replace(/\/$/, "")
}
