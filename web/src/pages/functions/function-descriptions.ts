import type { FunctionSummary } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"

/** A module that is both a model and a filter counts as a model. */
export const functionKind = ({ models, filter }: FunctionSummary): "model" | "filter" =>
  filter && models.length === 0 ? "filter" : "model"

export const descriptionOf = ({ meta, models }: FunctionSummary): string =>
  meta.description || (models[0]?.description ?? "")

/** The models that the function offers or filters. */
export const describeOffers = (one: FunctionSummary): string => {
  const { filter_models: filteredModels } = one
  if (functionKind(one) === "model")
    return one.models.map(({ id }) => id).join(", ") || t("label.none")
  if (filteredModels.includes("*")) return t("functions.around")
  if (filteredModels.length === 0) return t("functions.aroundNone")
  return t("functions.aroundSome", { count: filteredModels.length })
}
