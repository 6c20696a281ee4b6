import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import type { Grants } from "../grants/grants.ts"
import { createPlaces } from "../limits/semaphore.ts"
import { createGuard } from "../outbound/ssrf-guard.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { StorageQuota } from "../storage/storage.ts"
import { createFilterChains } from "./filter-chain.ts"
import { createModelReplies } from "./function-model.ts"
import { createDirectory } from "./function-registry.ts"
import { createFunctions } from "./functions.ts"
import type { Abilities } from "./host-services.ts"
import { createInstall } from "./install-guide.ts"
import { createItemStore } from "./key-value-store.ts"
import { createRunStore } from "./run-store.ts"
import { createRunner } from "./runner.ts"
import { createWall } from "./sandbox/sandbox.ts"
import { createFunctionStore } from "./store.ts"
import { createStripper } from "./strip-types.ts"
import { createTrial } from "./test-run.ts"
import { createCheck } from "./validation.ts"

interface Deps {
  config: Config
  db: Database
  bus: Bus
  audit: Audit
  grants: Grants
  secrets: Secrets
  storage: StorageQuota
  newId: () => string
  now: () => number
  /** Called lazily on first use: most host services are themselves built on functions. */
  abilities: () => Abilities
}

const maxOutputBytes = 8_000_000
const maxPieces = 100_000

/** Creates all parts of the functions feature. No worker thread starts before it is needed. */
export const createStudio = async (deps: Deps) => {
  const { config, db, bus, audit, grants, secrets, storage, newId, now } = deps
  const wall = createWall({
    workers: config.FUNCTION_WORKERS,
    limits: {
      memory: config.FUNCTION_MEMORY,
      cpuMs: config.FUNCTION_CPU_TIME * 1000,
      wallMs: config.FUNCTION_TIMEOUT * 1000,
      outputBytes: maxOutputBytes,
      pieces: maxPieces,
    },
  })
  const store = createFunctionStore({ db, grants, secrets })
  const directory = await createDirectory({ store, bus })
  const stripper = createStripper()
  const check = createCheck(wall, stripper)
  const functions = createFunctions({ db, store, directory, check, storage, audit, bus, now })
  const runs = createRunStore(db)
  const abilities: Abilities = {
    ask: (...asked) => deps.abilities().ask(...asked),
    search: (...asked) => deps.abilities().search(...asked),
    files: {
      list: (caller) => deps.abilities().files.list(caller),
      text: (...asked) => deps.abilities().files.text(...asked),
    },
  }
  const runner = createRunner({
    wall,
    enter: createPlaces(config.FUNCTION_CONCURRENCY),
    abilities,
    items: createItemStore({
      db,
      storage,
      ownerOf: (id) => directory.get(id)?.user_id ?? "",
      now,
    }),
    guard: createGuard(config.FUNCTION_NETWORKS),
    runs,
    newId,
    now,
  })

  return {
    directory,
    check,
    functions,
    installGuide: createInstall({ db, store, directory, check, audit, bus, now }),
    runs,
    trial: createTrial({ abilities, functions, check, runner }),
    chains: createFilterChains(runner),
    replies: createModelReplies({ runner, abilities }),
    close: async (): Promise<void> => {
      directory.close()
      stripper.close()
      await wall.close()
      await runs.close()
    },
  }
}
