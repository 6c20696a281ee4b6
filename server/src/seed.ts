import type { Logger } from "pino"
import type { ApiKeys } from "./auth/api-keys.ts"
import type { Config } from "./config/config.ts"
import { systemActor } from "./http/caller.ts"
import type { Users } from "./users/users.ts"

interface Deps {
  config: Config
  users: Pick<Users, "hasAny" | "createFirst">
  keys: Pick<ApiKeys, "insertPredefined">
  functions: { installGuide(): Promise<unknown> }
  log: Logger
}

/** Before the first account exists: installs Guide and creates the account set by ADMIN_EMAIL. */
export const seed = async ({ config, users, keys, functions, log }: Deps): Promise<void> => {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password, ADMIN_API_KEY: secret } = config
  if (await users.hasAny()) return
  if (config.INSTALL_GUIDE) await functions.installGuide()
  if (!email) return
  const input = { email, name: "Portico Administrator", ...(password && { password }) }
  await users.createFirst(systemActor, input, async (tx, { id }) => {
    if (secret) await keys.insertPredefined(tx, systemActor, id, secret)
  })
  log.info({ email }, "created the administrator account")
}
