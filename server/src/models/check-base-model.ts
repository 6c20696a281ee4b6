import { failInvalid } from "../errors.ts"
import { isAdmin, mayRead } from "../grants/access.ts"
import type { Caller } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import type { ModelCatalogue } from "./catalogue.ts"
import { isNamedByAlias } from "./claude-alias.ts"
import { failModelNotFound } from "./failures.ts"

type Catalogue = Pick<ModelCatalogue, "effectiveModel" | "resolve">

/** Only administrators may hide a model behind their own. */
const requireAdmin = (caller: Caller, field: string): void => {
  if (isAdmin(caller)) return
  failInvalid(field, translatable("model_id_reserved"))
}

/**
 * Returns a function that requires the base of a model to be a model that the caller may use. It
 * may refresh the connections' lists, so it runs before the transaction.
 */
export const createBaseModelCheck =
  (catalogue: Catalogue) =>
  /** @param planned ids of models that the same import creates */
  async (
    caller: Caller,
    { id, base }: { id: string; base: string },
    { planned, path = "" }: { planned?: ReadonlySet<string>; path?: string } = {},
  ): Promise<void> => {
    const field = `${path}base_model_id`
    if (base === id) return requireAdmin(caller, field)
    const workspace = catalogue.effectiveModel(base)
    if (planned?.has(base) || (workspace && mayRead(workspace, caller))) return
    try {
      const resolved = await catalogue.resolve(caller, base)
      // An alias would refer to another model as soon as one has it as its id.
      if (isNamedByAlias(base, resolved.id)) failModelNotFound(base)
    } catch {
      failInvalid(field, translatable("model_not_found", { id: base }))
    }
  }
