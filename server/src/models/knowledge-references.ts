import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import type { Reader } from "../db/database.ts"

/** Models whose contents are read in one query. */
const chunkSize = 200

/** The ids of the collections that a model searches, from its `meta.knowledge`. */
export const collectionIdsOf = (knowledge: unknown): string[] => {
  if (!Array.isArray(knowledge)) return []
  return knowledge.flatMap((entry) => {
    const id = typeof entry === "string" ? entry : entry?.id
    return typeof id === "string" ? [id] : []
  })
}

/** A model that searches collections. */
export interface KnowledgeModel {
  id: string
  name: string
  user_id: string
  collectionIds: string[]
}

/** All models that search collections, read in pieces. */
export const readKnowledgeModels = async (reader: Reader): Promise<KnowledgeModel[]> => {
  const found: KnowledgeModel[] = []
  for (let last = ""; ; ) {
    const rows = await reader
      .selectFrom("model_contents")
      .innerJoin("models", "models.id", "model_contents.model_id")
      .select(["models.id", "models.name", "models.user_id", "model_contents.meta"])
      .where("model_contents.meta", "like", '%"knowledge"%')
      .where("model_contents.model_id", ">", last)
      .orderBy("model_contents.model_id")
      .limit(chunkSize)
      .execute()
    for (const { meta, ...model } of rows) {
      const collectionIds = collectionIdsOf(JSON.parse(meta).knowledge)
      if (collectionIds.length > 0) found.push({ ...model, collectionIds })
    }
    last = rows.at(-1)?.id ?? ""
    if (rows.length < chunkSize) return found
    await yieldToEventLoop()
  }
}
