import { z } from "zod"

/** Turns semantic search off where it stands in place of a model. */
export const noEmbeddingModel = "none"

/** An embedding model that can be chosen. */
const AvailableModel = z.object({
  id: z.string(),
  built_in: z.boolean(),
  /** Names of the connections that offer it; empty for the built-in one. */
  connections: z.array(z.string()),
})
export type AvailableModel = z.output<typeof AvailableModel>

const CurrentModel = z.object({
  id: z.string(),
  built_in: z.boolean(),
  /** False while it cannot embed questions; they are then searched lexically only. */
  available: z.boolean(),
  /** Why it is not available, in a sentence; null while it is. */
  reason: z.string().nullable(),
})

const Choice = z.object({
  by: z.enum(["environment", "administrator", "automatic"]),
  /** The model's id, `none` where semantic search is turned off, or null where it is automatic. */
  model: z.string().nullable(),
  /** The environment variable that fixes it; null where administrators can change it. */
  variable: z.string().nullable(),
  /** Why the choice is not in effect, in a sentence; null while it is. */
  problem: z.string().nullable(),
})

/** An index that lacks passages. */
const IndexProgress = z.object({
  model: z.string(),
  /** Passages that have a vector. */
  done: z.int(),
  total: z.int(),
})

const RecommendedModel = z.object({
  /** The name to pull it by. */
  name: z.string(),
  /** Bytes to download. */
  size: z.int(),
  note: z.string(),
})

export const EmbeddingStatus = z
  .object({
    /** The model whose index answers questions; null where there is none. */
    model: CurrentModel.nullable(),
    /** Null for anyone but administrators. */
    admin: z
      .object({
        choice: Choice,
        /** Null while no passage lacks a vector. */
        building: IndexProgress.nullable(),
        /** What `embedding_model` of the settings can be set to, beside `none` and the empty text. */
        models: z.array(AvailableModel),
        /** A model worth pulling; null where no runtime is connected, or where it is there already. */
        recommended: RecommendedModel.nullable(),
      })
      .nullable(),
  })
  .meta({ id: "EmbeddingStatus" })
export type EmbeddingStatus = z.output<typeof EmbeddingStatus>
