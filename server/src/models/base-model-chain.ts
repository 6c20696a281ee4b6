import type { WorkspaceModel } from "./schema.ts"

/** Maximum number of workspace models in a chain, not counting the base model at its end. */
export const maxChainLength = 5

/**
 * Why `model` cannot use its base model; null if it can.
 * @param baseOf returns the base of another workspace model; undefined if there is none
 */
export const findChainError = async (
  model: Pick<WorkspaceModel, "id" | "base_model_id">,
  baseOf: (id: string) => Promise<string | undefined>,
): Promise<string | null> => {
  let length = 1
  let last = model
  while (last.base_model_id !== last.id) {
    if (last !== model && last.base_model_id === model.id) {
      return `Choose another base model: "${model.base_model_id}" is itself based on "${model.id}".`
    }
    const id = last.base_model_id
    const base = await baseOf(id)
    if (base === undefined) return null
    if (++length > maxChainLength)
      return `Choose another base model: at most ${maxChainLength} models can be based on one another.`
    last = { id, base_model_id: base }
  }
  return null
}
