import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import { foldCase } from "../db/fold-case.ts"
import type { FunctionRegistry } from "../functions/function-registry.ts"
import { stripAliasPrefix } from "./claude-alias.ts"

const latestTag = ":latest"

/**
 * Strips what makes ids look alike to people and runtimes: case and `:latest`.
 * @param idKey a case-folded id
 */
export const stripLatestTag = (idKey: string): string =>
  idKey.endsWith(latestTag) ? idKey.slice(0, -latestTag.length) : idKey

/** An id without what makes ids look alike. */
export const comparableId = (id: string): string => stripLatestTag(foldCase(id))

interface Deps {
  registry: Pick<ConnectionRegistry, "endpoints">
  functionRegistry: Pick<FunctionRegistry, "models" | "onChange">
  /** Ids of administrators' models, normalized by `stripLatestTag`. */
  adminNames: () => ReadonlySet<string>
}

/**
 * Decides between models with the same id: an administrator's workspace model comes before a
 * function, which comes before connections. Another user's model never answers under such an id or
 * one that resembles it, even if it was created first: when a connection returns, its model ids are
 * available.
 */
export const createIdPrecedence = ({ registry, functionRegistry, adminNames }: Deps) => {
  let endpoints: ReturnType<ConnectionRegistry["endpoints"]> | undefined
  let endpointNames: ReadonlySet<string> = new Set()
  let functionNames: ReadonlySet<string> | null = null
  functionRegistry.onChange(() => {
    functionNames = null
  })

  const getEndpointNames = (): ReadonlySet<string> => {
    const current = registry.endpoints()
    if (current !== endpoints) {
      endpoints = current
      endpointNames = new Set([...current.keys()].map(comparableId))
    }
    return endpointNames
  }

  const getFunctionNames = (): ReadonlySet<string> => {
    functionNames ??= new Set([...functionRegistry.models()].map(({ id }) => comparableId(id)))
    return functionNames
  }

  const isNameTaken = (name: string): boolean =>
    adminNames().has(name) || getFunctionNames().has(name) || getEndpointNames().has(name)

  return {
    /** Whether an id, or one that resembles it, belongs to a model that takes precedence. */
    isTaken: (idKey: string): boolean => {
      const name = stripLatestTag(idKey)
      const aliased = stripAliasPrefix(name)
      return isNameTaken(name) || (aliased !== null && isNameTaken(aliased))
    },
  }
}
