import type { Registry } from "../connections/registry.ts"
import { foldCase } from "../db/fold-case.ts"
import type { Directory } from "../functions/function-registry.ts"

const latest = ":latest"

/**
 * What ids have in common that a person, or a runtime, takes for one: case, and `:latest`.
 * @param idKey an id whose case is folded
 */
export const withoutLatest = (idKey: string): string =>
  idKey.endsWith(latest) ? idKey.slice(0, -latest.length) : idKey

const likenessOf = (id: string): string => withoutLatest(foldCase(id))

interface Deps {
  registry: Pick<Registry, "offers">
  directory: Pick<Directory, "models" | "onChange">
  /** Names of administrators' models, as `withoutLatest` has them. */
  adminNames: () => ReadonlySet<string>
}

/**
 * What one id stands for when several have it: an administrator's workspace model before a function,
 * that before connections. Another person's model never answers under an id of theirs or one that is
 * like it, whoever was there first: a connection that was away finds its models' names free.
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
    /** Tells whether an id, or one like it, stands for somebody else's model already. */
    isTaken: (idKey: string): boolean => {
      const name = withoutLatest(idKey)
      return adminNames().has(name) || namesOfFunctions().has(name) || namesOffered().has(name)
    },
  }
}
