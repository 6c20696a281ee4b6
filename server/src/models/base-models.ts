import type { WorkspaceModel } from "./schema.ts"

/** Workspace models one above the other, the base that a connection offers not counted. */
export const maxChain = 5

/**
 * Why `model` cannot stand on its base, among the others; null when it can.
 * @param baseOf finds the base of another workspace model; undefined where there is none
 */
export const chainFault = async (
  model: Pick<WorkspaceModel, "id" | "base_model_id">,
  baseOf: (id: string) => Promise<string | undefined>,
): Promise<string | null> => {
  let length = 1
  let last = model
  while (last.base_model_id !== last.id) {
    if (last !== model && last.base_model_id === model.id) {
      return `"${model.base_model_id}" is itself based on "${model.id}"`
    }
    const id = last.base_model_id
    const base = await baseOf(id)
    if (base === undefined) return null
    if (++length > maxChain) return `more than ${maxChain} models would rest on each other`
    last = { id, base_model_id: base }
  }
  return null
}
