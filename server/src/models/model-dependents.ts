import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import type { Reader, Tx } from "../db/database.ts"
import type { ModelRow } from "../db/tables.ts"
import type { FunctionRegistry } from "../functions/function-registry.ts"
import type { ObjectDependency } from "../ownership/owned-objects.ts"
import type { Affected, NamedObject } from "../users/affected-objects.ts"
import { maxChainLength } from "./base-model-chain.ts"
import { readKnowledgeModels } from "./knowledge-references.ts"

interface Deps {
  registry: Pick<ConnectionRegistry, "endpoints">
  functionRegistry: Pick<FunctionRegistry, "model">
}

type ModelLink = Pick<ModelRow, "id" | "name" | "user_id" | "base_model_id">

const toAffected = ({ type, id, name }: NamedObject): Affected => ({
  ...{ type, id, name },
  shared_count: 0,
  used_by: [],
})

const toObject = ({ id, name }: Pick<ModelLink, "id" | "name">): NamedObject => ({
  type: "model",
  id,
  name,
})

const readLinks = (reader: Reader): Promise<ModelLink[]> =>
  reader.selectFrom("models").select(["id", "name", "user_id", "base_model_id"]).execute()

/** The setting that names the default model of new chats; its name is the model's id. */
const readDefaultModel = async (reader: Reader): Promise<NamedObject | null> => {
  const query = reader.selectFrom("settings").select("value").where("name", "=", "default_model")
  const row = await query.executeTakeFirst()
  const id: unknown = row && JSON.parse(row.value)
  return typeof id === "string" && id !== ""
    ? { type: "setting", id: "default_model", name: id }
    : null
}

/** The ids of the models based, directly or not, on one that is lost. */
const findBasedOn = (
  links: readonly ModelLink[],
  isLost: (id: string) => boolean,
): ReadonlySet<string> => {
  const lost = new Set<string>()
  const isBaseLost = ({ base_model_id: base }: ModelLink): boolean => isLost(base) || lost.has(base)
  for (let length = 0; length < maxChainLength; length++) {
    for (const model of links.filter(isBaseLost)) lost.add(model.id)
  }
  return lost
}

/** What depends on models, connections and collections, for deletions that must not break it. */
export const createModelDependents = ({ registry, functionRegistry }: Deps) => {
  /** Whether nothing but this connection offers a model with the id. */
  const isOnlyOfferedBy = (connectionId: string) => {
    const exclusive = new Set(
      [...registry.endpoints()]
        .filter(([, all]) => all.every(({ connection }) => connection.config.id === connectionId))
        .map(([id]) => id),
    )
    return (id: string): boolean => {
      if (functionRegistry.model(id)) return false
      if (registry.endpoints().has(id)) return exclusive.has(id)
      return exclusive.has(`${id}:latest`)
    }
  }

  /** The models based, directly or not, on one that is lost, and the default model if it is lost. */
  const affectedBy = async (
    reader: Reader,
    isLost: (id: string) => boolean,
  ): Promise<Affected[]> => {
    const links = await readLinks(reader)
    const lost = findBasedOn(links, isLost)
    const models = links.filter(({ id }) => lost.has(id)).map(toObject)
    const chosen = await readDefaultModel(reader)
    const isChosenLost = chosen !== null && (isLost(chosen.name) || lost.has(chosen.name))
    return [...models, ...(isChosenLost ? [chosen] : [])].map(toAffected)
  }

  return {
    /** What depends on an account's models and collections, and belongs to others. */
    ofOwner: async (reader: Reader, ownerId: string): Promise<ObjectDependency[]> => {
      const links = await readLinks(reader)
      const ownById = new Map(
        links.filter(({ user_id }) => user_id === ownerId).map((model) => [model.id, model]),
      )
      const others = links.filter(({ user_id }) => user_id !== ownerId)
      const ofModels = others.flatMap((model): ObjectDependency[] => {
        const base = ownById.get(model.base_model_id)
        return base ? [{ object: toObject(base), usedBy: toObject(model) }] : []
      })
      const chosen = await readDefaultModel(reader)
      const chosenModel = chosen && ownById.get(chosen.name)
      if (chosen && chosenModel) ofModels.push({ object: toObject(chosenModel), usedBy: chosen })
      const collections = await reader
        .selectFrom("collections")
        .select(["id", "name"])
        .where("user_id", "=", ownerId)
        .execute()
      const nameById = new Map(collections.map(({ id, name }) => [id, name]))
      const searching = (await readKnowledgeModels(reader)).filter(
        ({ user_id }) => user_id !== ownerId,
      )
      const ofCollections = searching.flatMap((model) =>
        model.collectionIds.flatMap((id): ObjectDependency[] => {
          const name = nameById.get(id)
          if (name === undefined) return []
          return [{ object: { type: "collection", id, name }, usedBy: toObject(model) }]
        }),
      )
      return [...ofModels, ...ofCollections]
    },

    /** The models that search a collection. */
    onCollection: async (tx: Tx, collectionId: string): Promise<Affected[]> => {
      const models = await readKnowledgeModels(tx)
      return models
        .filter(({ collectionIds }) => collectionIds.includes(collectionId))
        .map((model) => toAffected(toObject(model)))
    },

    /** What would no longer work without a workspace model. */
    onModel: (tx: Tx, modelId: string): Promise<Affected[]> =>
      affectedBy(tx, (id) => id === modelId),

    /** What would no longer work without a connection. */
    onConnection: (tx: Tx, connectionId: string): Promise<Affected[]> =>
      affectedBy(tx, isOnlyOfferedBy(connectionId)),
  }
}
