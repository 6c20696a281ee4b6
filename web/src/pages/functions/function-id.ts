import { toModelId as modelIdFrom } from "../models/model-values.ts"

/** Derives an ID from a name: "Harbour Pilot" → "harbour_pilot". */
export const toFunctionId = (name: string): string =>
  modelIdFrom(name)
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+|_+$/g, "")
    .slice(0, 64)
