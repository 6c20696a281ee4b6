/** Claude Code's model discovery ignores all other ids. */
const discoveredIds = /^(claude|anthropic)/i

const aliasPrefix = "claude-"

/** The model's id if Claude Code's model discovery lists it, otherwise its alias. */
export const toDiscoverableId = (id: string): string =>
  discoveredIds.test(id) ? id : `${aliasPrefix}${id}`

/** The id that an alias stands for, if no model has the alias as its own id. */
export const stripAliasPrefix = (id: string): string | null =>
  id.startsWith(aliasPrefix) ? id.slice(aliasPrefix.length) : null

/** Whether a request named the model `id` by its alias. */
export const isNamedByAlias = (requested: string, id: string): boolean =>
  requested.startsWith(aliasPrefix) && !id.startsWith(requested)

interface Deps {
  /** Whether a model has exactly this id. */
  isKnown: (id: string) => boolean
  isOfferedByConnection: (id: string) => boolean
}

/** Returns a function that finds the id of the model that a request names. */
export const createIdResolver = ({ isKnown, isOfferedByConnection }: Deps) => {
  /** A runtime's model may be named without its tag, which then defaults to `latest`. */
  const findId = (name: string): string | null => {
    if (isKnown(name)) return name
    const latest = `${name}:latest`
    return isOfferedByConnection(latest) ? latest : null
  }

  const findAliasedId = (requested: string): string | null => {
    const name = stripAliasPrefix(requested)
    return name && findId(name)
  }

  /** Returns an unknown id unchanged. */
  return (requested: string): string => findId(requested) ?? findAliasedId(requested) ?? requested
}
