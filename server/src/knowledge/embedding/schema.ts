import { z } from "zod"
import { MessageReference } from "../../http/message-reference.ts"

/** Value of the setting `embedding_model` that disables semantic search. */
export const noEmbeddingModel = "none"

/** An embedding model that can be chosen. */
const AvailableModel = z.object({
  id: z.string(),
  built_in: z.boolean(),
  /** Names of the connections that offer the model; empty for the built-in one. */
  connections: z.array(z.string()),
})
export type AvailableModel = z.output<typeof AvailableModel>

const CurrentModel = z.object({
  id: z.string(),
  built_in: z.boolean(),
  /** False while questions cannot be embedded; searches are then lexical only. */
  available: z.boolean(),
  /** Why the model is unavailable, as a sentence; null if it is available. */
  reason: z.string().nullable(),
  reason_reference: MessageReference.nullable(),
})

const Choice = z.object({
  by: z.enum(["environment", "administrator", "automatic"]),
  /** The model's id, `none` if semantic search is disabled, or null if chosen automatically. */
  model: z.string().nullable(),
  /** The environment variable that sets the model; null if administrators can change it. */
  variable: z.string().nullable(),
  /** Why the choice has no effect, as a sentence; null if it has. */
  problem: z.string().nullable(),
  problem_reference: MessageReference.nullable(),
})

/** Progress of an incomplete index. */
const IndexProgress = z.object({
  model: z.string(),
  /** Number of passages with a vector. */
  done: z.int(),
  total: z.int(),
})

const RecommendedModel = z.object({
  /** The name to pull the model by. */
  name: z.string(),
  /** Download size in bytes. */
  size: z.int(),
  note: z.string(),
})

export const EmbeddingStatus = z
  .object({
    /** The model whose index is searched; null if there is none. */
    model: CurrentModel.nullable(),
    /** Null unless the caller is an administrator. */
    admin: z
      .object({
        choice: Choice,
        /** Null if every passage has a vector. */
        building: IndexProgress.nullable(),
        /** The values that the setting `embedding_model` accepts, besides `none` and "". */
        models: z.array(AvailableModel),
        /**
         * A model worth pulling; null if no runtime is connected, or if it is installed already.
         */
        recommended: RecommendedModel.nullable(),
      })
      .nullable(),
  })
  .meta({ id: "EmbeddingStatus" })
export type EmbeddingStatus = z.output<typeof EmbeddingStatus>
