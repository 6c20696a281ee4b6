import type { ModelRecord } from "./schema.ts"

/** For providers that do not report capabilities, the name is a hint. */
const embedsByName = /(^|[-_/:. ])embed/i

export const isEmbeddingModel = (id: string, { embedding }: ModelRecord["capabilities"]): boolean =>
  embedding ?? embedsByName.test(id)

/** Whether the model is enabled and can do more than embed. */
export const isChatModel = ({ id, capabilities, is_active }: ModelRecord): boolean =>
  is_active && (capabilities.completion ?? !isEmbeddingModel(id, capabilities))
