import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config.ts"
import type { Database } from "../db/database.ts"
import type { Grants } from "../grants/grants.ts"
import type { Secrets } from "../secrets/secrets.ts"
import { createCheck } from "./check.ts"
import { createDirectory } from "./directory.ts"
import { createFunctions } from "./functions.ts"
import { createFunctionStore } from "./store.ts"
import { createWall } from "./wall/wall.ts"

interface Needs {
  config: Config
  db: Database
  bus: Bus
  audit: Audit
  grants: Grants
  secrets: Secrets
  now: () => number
}

const mostOutputBytes = 8_000_000
const mostPieces = 100_000

/** Everything about functions, built in order. No worker starts before one is wanted. */
export const createStudio = async ({ config, db, bus, audit, grants, secrets, now }: Needs) => {
  const wall = createWall({
    workers: config.FUNCTION_WORKERS,
    limits: {
      memory: config.FUNCTION_MEMORY,
      cpuMs: config.FUNCTION_CPU_TIME * 1000,
      wallMs: config.FUNCTION_TIMEOUT * 1000,
      outputBytes: mostOutputBytes,
      pieces: mostPieces,
    },
  })
  const store = createFunctionStore({ db, grants, secrets })
  const directory = await createDirectory({ store, bus })
  const check = createCheck(wall)
  const functions = createFunctions({ db, store, directory, check, audit, bus, now })

  return {
    directory,
    check,
    functions,
    close: async (): Promise<void> => {
      directory.close()
      await wall.close()
    },
  }
}

export type Studio = Awaited<ReturnType<typeof createStudio>>
