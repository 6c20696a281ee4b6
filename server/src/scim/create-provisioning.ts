import type { AuthStore } from "../auth/store.ts"
import { createProvisionedGroups } from "../groups/provisioned-groups.ts"
import type { GroupStore } from "../groups/store.ts"
import { createProvisionedUsers } from "../users/provisioned-users.ts"
import type { UserStore } from "../users/store.ts"
import { createScim } from "./create-scim.ts"

type ProvisionedUsersDeps = Parameters<typeof createProvisionedUsers>[0]
type ProvisionedGroupsDeps = Parameters<typeof createProvisionedGroups>[0]

type Deps = Omit<Parameters<typeof createScim>[0], "users" | "groups"> &
  Omit<ProvisionedUsersDeps, "store" | "removeKeys" | "leaveGroups" | "deleteMode"> &
  Omit<ProvisionedGroupsDeps, "store"> & {
    userStore: UserStore
    groupStore: GroupStore
    authStore: AuthStore
  }

/** Builds SCIM with the users and groups that it provisions. */
export const createProvisioning = ({ userStore, groupStore, authStore, ...deps }: Deps) =>
  createScim({
    ...deps,
    users: createProvisionedUsers({
      ...deps,
      store: userStore,
      removeKeys: authStore.removeKeys,
      leaveGroups: groupStore.leaveGroups,
      deleteMode: deps.config.SCIM_DELETE_MODE,
    }),
    groups: createProvisionedGroups({ ...deps, store: groupStore }),
  })
