import type { AdministrationCatalogue } from "../catalogue.ts"
import { admin } from "./admin.ts"
import { audit } from "./audit.ts"
import { auditEvents } from "./audit-events.ts"
import { functions } from "./functions.ts"
import { groupKeys } from "./group-keys.ts"
import { invitations } from "./invitations.ts"
import { limits } from "./limits.ts"
import { overview } from "./overview.ts"
import { prices } from "./prices.ts"
import { ratings } from "./ratings.ts"
import { removal } from "./removal.ts"
import { signOnSettings } from "./sign-on-settings.ts"

export const administration: AdministrationCatalogue = {
  ...admin,
  ...audit,
  ...auditEvents,
  ...functions,
  ...groupKeys,
  ...invitations,
  ...limits,
  ...overview,
  ...prices,
  ...ratings,
  ...removal,
  ...signOnSettings,
}
