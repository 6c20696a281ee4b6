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
  model_no_response: "The model did not respond.",
  rewriting_unreadable: "The model did not respond with the requested JSON.",
  model_disabled: "This model is disabled. Enable it, or choose another one.",
  model_is_embedding_model: "Embedding models can't answer chats. Choose another one.",
  model_id_conflict: "Another user's model has the same ID. Delete it first.",
  model_read_only: ({ id }: Values<"id">) =>
    `You do not have permission to change the model ${id}.`,
  model_access_revoked: ({ id }: Values<"id">) => `Your access to the model "${id}" was revoked.`,
  model_not_offered: ({ id }: Values<"id">) => `No connection currently offers the model "${id}".`,
  model_not_installed: ({ name, folder }: Values<"name" | "folder">) =>
    `The embedding model ${name} is not installed. An administrator can install it, or place its files in ${folder}.`,
  model_file_damaged: ({ path }: Values<"path">) =>
    `The file ${path} is not the published one: its size or its SHA-256 is different. Install the model again, or replace the file.`,
  model_file_unreadable: ({ path, code }: Values<"path" | "code">) =>
    `The file ${path} cannot be read by the user that runs Portico (${code}). Change its owner or its permissions.`,
  model_folder_unwritable: ({ folder, code }: Values<"folder" | "code">) =>
    `Files cannot be written to ${folder} by the user that runs Portico (${code}). Check the disk, and the owner and the permissions of the folder; then install the model again.`,
  model_download_failed: ({ host, reason, folder }: Values<"host" | "reason" | "folder">) =>
    `The model could not be downloaded from ${host}: ${reason}. Check the network and the proxy settings, then install it again; or place its files in ${folder}.`,
  // Parts of `model_download_failed`.
  download_refused: ({ status }: Values<"status">) => `it answered with status ${status}`,
  download_redirected: ({ address }: Values<"address">) =>
    `it redirects to ${address}, which is not a public address, or not an encrypted one`,
  download_redirected_too_often: "it redirects too often",
  download_too_large: "it sent more bytes than the file has",
  download_damaged: "it sent a file whose checksum is wrong",
  download_incomplete: "it sent only a part of the file",
  download_unreachable: ({ code }: Values<"code">) => `it cannot be reached (${code})`,
  download_timed_out: "it did not respond in time",
  download_interrupted: "the connection was interrupted",
  download_broken: ({ code }: Values<"code">) => `an error occurred (${code})`,
  model_in_use:
    "Semantic search uses this model. Choose another one, and wait until its index is complete.",
  base_model_circular: ({ base, id }: Values<"base" | "id">) =>
    `Choose another base model: "${base}" is itself based on "${id}".`,
  base_model_chain_too_long: ({ max }: Values<"max">) =>
    `Choose another base model: at most ${max} models can be based on one another.`,
}
