import { type TranslatableMessage, translatable } from "../i18n/message.ts"
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
): Promise<TranslatableMessage | null> => {
  let length = 1
  let last = model
  while (last.base_model_id !== last.id) {
    if (last !== model && last.base_model_id === model.id) {
      return translatable("base_model_circular", { base: model.base_model_id, id: model.id })
    }
    const id = last.base_model_id
    const base = await baseOf(id)
    if (base === undefined) return null
    if (++length > maxChainLength)
      return translatable("base_model_chain_too_long", { max: maxChainLength })
    last = { id, base_model_id: base }
  }
  return null
}
