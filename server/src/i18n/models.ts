import type { Values } from "./values.ts"

/** Models and their access. */
export const models = {
  model_id_required: "Enter a model ID.",
  model_id_has_spaces: "Do not use spaces or control characters.",
  model_exists: ({ id }: Values<"id">) =>
    `A model with the ID ${id} already exists. Choose another ID.`,
  model_id_taken: ({ id }: Values<"id">) =>
    `The id ${id} is taken or too similar to that of another model. Choose another id.`,
  model_id_reserved:
    "Choose another ID: only administrators may give a model the ID of its base model.",
  model_not_found: ({ id }: Values<"id">) =>
    `Model "${id}" not found. Choose one from the list of models.`,
  model_disabled: "This model is disabled. Enable it, or choose another one.",
  model_is_embedding_model: "Embedding models can't answer chats. Choose another one.",
  model_id_conflict: "Another user's model has the same ID. Delete it first.",
  model_read_only: ({ id }: Values<"id">) =>
    `You do not have permission to change the model ${id}.`,
  model_access_revoked: ({ id }: Values<"id">) => `Your access to the model "${id}" was revoked.`,
  model_not_offered: ({ id }: Values<"id">) => `No connection currently offers the model "${id}".`,
  base_model_circular: ({ base, id }: Values<"base" | "id">) =>
    `Choose another base model: "${base}" is itself based on "${id}".`,
  base_model_chain_too_long: ({ max }: Values<"max">) =>
    `Choose another base model: at most ${max} models can be based on one another.`,
}
