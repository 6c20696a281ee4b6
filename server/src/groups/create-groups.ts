import { createGroupAccess, type GroupAccessDeps } from "./group-access.ts"
import { createGroupManagers } from "./group-managers.ts"
import { createGroups, type GroupsDeps } from "./groups.ts"
import { createGroupStore } from "./store.ts"

type Deps = Omit<GroupsDeps & GroupAccessDeps, "store">

/** Creates the rules for groups, and for those who manage them. */
export const createGroupParts = (deps: Deps) => {
  const groupStore = createGroupStore(deps.db)
  const groups = createGroups({ ...deps, store: groupStore })
  return {
    groupStore,
    groups,
    groupAccess: createGroupAccess({ ...deps, store: groupStore }),
    groupManagers: createGroupManagers({ ...deps, store: groupStore, groups }),
  }
}
