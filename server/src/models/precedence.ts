import type { Registry } from "../connections/registry.ts"
import { foldCase } from "../db/fold-case.ts"
import type { Directory } from "../functions/function-registry.ts"

const latest = ":latest"

/**
 * Strips what makes ids look alike to people and runtimes: case and `:latest`.
 * @param idKey a case-folded id
 */
export const withoutLatest = (idKey: string): string =>
  idKey.endsWith(latest) ? idKey.slice(0, -latest.length) : idKey

const likenessOf = (id: string): string => withoutLatest(foldCase(id))

interface Deps {
  registry: Pick<Registry, "offers">
  directory: Pick<Directory, "models" | "onChange">
  /** Ids of administrators' models, normalized by `stripLatestTag`. */
  adminNames: () => ReadonlySet<string>
}

/**
 * Decides between models with the same id: an administrator's workspace model comes before a
 * function, which comes before connections. Another user's model never answers under such an id or
 * one that resembles it, even if it was created first: when a connection returns, its model ids are
 * available.
 */
export const createPrecedence = ({ registry, directory, adminNames }: Deps) => {
  let offers: ReturnType<Registry["offers"]> | undefined
  let offered: ReadonlySet<string> = new Set()
  let functionNames: ReadonlySet<string> | null = null
  directory.onChange(() => {
    functionNames = null
  })

  const namesOffered = (): ReadonlySet<string> => {
    const current = registry.offers()
    if (current !== offers) {
      offers = current
      offered = new Set([...current.keys()].map(likenessOf))
    }
    return offered
  }

  const namesOfFunctions = (): ReadonlySet<string> => {
    functionNames ??= new Set([...directory.models()].map(({ id }) => likenessOf(id)))
    return functionNames
  }

  return {
    /** Whether an id, or one that resembles it, belongs to a model that takes precedence. */
    isTaken: (idKey: string): boolean => {
      const name = withoutLatest(idKey)
      return adminNames().has(name) || namesOfFunctions().has(name) || namesOffered().has(name)
    },
  }
}
