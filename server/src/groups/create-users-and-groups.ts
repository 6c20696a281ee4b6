import { createUserStore } from "../users/store.ts"
import { createUsers } from "../users/users.ts"
import { createGroups } from "./groups.ts"
import { createGroupStore } from "./store.ts"

type Deps = Omit<Parameters<typeof createUsers>[0], "store"> &
  Omit<Parameters<typeof createGroups>[0], "store">

/** Creates the services for users and groups, with their stores. */
export const createUsersAndGroups = (deps: Deps) => {
  const userStore = createUserStore(deps.db)
  const groupStore = createGroupStore(deps.db)
  return {
    userStore,
    users: createUsers({ ...deps, store: userStore }),
    groupStore,
    groups: createGroups({ ...deps, store: groupStore }),
  }
}
