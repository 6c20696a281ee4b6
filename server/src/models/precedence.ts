import type { Registry } from "../connections/registry.ts"
import { foldCase } from "../db/text.ts"
import type { Directory } from "../functions/directory.ts"
import type { Principal } from "../grants/grants.ts"
import type { WorkspaceModel } from "./schema.ts"

const latest = ":latest"

/** What ids have in common that a person, or a runtime, takes for one: case, and `:latest`. */
const likenessOf = (id: string): string => {
  const folded = foldCase(id)
  return folded.endsWith(latest) ? folded.slice(0, -latest.length) : folded
}

interface Dependencies {
  registry: Pick<Registry, "offers">
  directory: Pick<Directory, "models">
}

/** Tells whether an id, or one like it, stands for somebody else's model already. */
export type IsTaken = (id: string) => boolean

/**
 * What one id stands for when several have it: an administrator's workspace model before a function,
 * that before connections. Another person's model never answers under an id of theirs or one that is
 * like it, whoever was there first: a connection that was away finds its models' names free.
 */
export const createPrecedence = ({ registry, directory }: Dependencies) => {
  let offers: ReturnType<Registry["offers"]> | undefined
  let offered: ReadonlySet<string> = new Set()

  const namesOffered = (): ReadonlySet<string> => {
    const current = registry.offers()
    if (current !== offers) {
      offers = current
      offered = new Set([...current.keys()].map(likenessOf))
    }
    return offered
  }

  return {
    /** @param reserved the names of administrators' models, by `reservedNames` */
    taken: (reserved: ReadonlySet<string>): IsTaken => {
      const functions = new Set([...directory.models()].map(({ id }) => likenessOf(id)))
      return (id) => {
        const name = likenessOf(id)
        return reserved.has(name) || functions.has(name) || namesOffered().has(name)
      }
    },
  }
}

/** The names of models whose owners are administrators now. */
export const reservedNames = (
  models: readonly WorkspaceModel[],
  ownerById: ReadonlyMap<string, Principal>,
): ReadonlySet<string> =>
  new Set(
    models
      .filter(({ user_id }) => ownerById.get(user_id)?.user.role === "admin")
      .map(({ id }) => likenessOf(id)),
  )
