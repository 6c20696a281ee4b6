import { z } from "zod"
import { MessageReference } from "../../http/message-reference.ts"

/** Value of the setting `embedding_model` that disables semantic search. */
export const noEmbeddingModel = "none"

/** An embedding model that can be chosen. */
const AvailableModel = z.object({
  id: z.string(),
  built_in: z.boolean(),
  /** Names of the connections that offer the model; empty for a built-in one. */
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

/** An embedding model that the gateway can install and run itself. */
export const ModelInstallationStatus = z
  .object({
    id: z.string(),
    /** The model's name in `/api/v1/embedding-model/installations/{name}`. */
    name: z.string(),
    /** Download size in bytes. */
    size: z.int(),
    license: z.string(),
    /** `verifying`: files were found in the data folder, and their checksums are being computed. */
    state: z.enum(["absent", "installing", "verifying", "installed"]),
    /** Bytes of `size` that are on the disk. */
    received: z.int(),
    /** Why the last installation failed, or why files found in the data folder are not used. */
    problem: z.string().nullable(),
    problem_reference: MessageReference.nullable(),
  })
  .meta({ id: "ModelInstallationStatus" })
export type ModelInstallationStatus = z.output<typeof ModelInstallationStatus>

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
        /** Models that can be installed; those that are installed are in `models` too. */
        installable: z.array(ModelInstallationStatus),
      })
      .nullable(),
  })
  .meta({ id: "EmbeddingStatus" })
export type EmbeddingStatus = z.output<typeof EmbeddingStatus>
