import { createSandbox, createTypeStripper } from "@portico/sandbox"
import type { Audit } from "../audit/audit.ts"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import type { Grants } from "../grants/grants.ts"
import { createGuardedFetch } from "../outbound/guarded-fetch.ts"
import { createSsrfGuard } from "../outbound/ssrf-guard.ts"
import type { Transports } from "../outbound/transports.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { createFilterChains } from "./filter-chain.ts"
import { createFunctionRegistry } from "./function-registry.ts"
import { createFunctionResponder } from "./function-responder.ts"
import { createFunctions } from "./functions.ts"
import type { HostServices } from "./host-services.ts"
import { createGuideInstaller } from "./install-guide.ts"
import { createKeyValueStore } from "./key-value-store.ts"
import { createRunStore } from "./run-store.ts"
import { createRunner } from "./runner.ts"
import { createSourceValidator } from "./source-validator.ts"
import { createFunctionStore } from "./store.ts"
import { createTestRuns } from "./test-run.ts"

interface Deps {
  background: BackgroundTasks
  config: Config
  db: Database
  bus: Bus
  audit: Audit
  grants: Grants
  secrets: Secrets
  storage: StorageQuota
  transports: Transports
  newId: () => string
  now: () => number
  /** Called when a function runs: most host services are themselves built on functions. */
  hostServices: () => HostServices
}

const maxOutputBytes = 8_000_000
const maxPieces = 100_000

/** Creates all parts of the functions feature. No worker thread starts before it is needed. */
export const createFunctionParts = async (deps: Deps) => {
  const { config, bus, transports, hostServices } = deps
  const sandbox = createSandbox({
    workers: config.FUNCTION_WORKERS,
    environment: new URL("./context.js", import.meta.url),
    limits: {
      memory: config.FUNCTION_MEMORY,
      cpuMs: config.FUNCTION_CPU_TIME * 1000,
      wallMs: config.FUNCTION_TIMEOUT * 1000,
      outputBytes: maxOutputBytes,
      pieces: maxPieces,
    },
  })
  const store = createFunctionStore(deps)
  const functionRegistry = await createFunctionRegistry(store, bus)
  const stripper = createTypeStripper()
  const check = createSourceValidator(sandbox, stripper)
  const shared = { ...deps, store, registry: functionRegistry, validator: check }
  const functions = createFunctions(shared)
  const runs = createRunStore(deps)
  const ownerOf = (id: string): string => functionRegistry.get(id)?.user_id ?? ""
  const runner = createRunner({
    ...deps,
    sandbox,
    maxConcurrent: config.FUNCTION_CONCURRENCY,
    keyValues: createKeyValueStore({ ...deps, ownerOf }),
    guardedFetch: createGuardedFetch({
      guard: createSsrfGuard(config.FUNCTION_NETWORKS),
      transports,
    }),
    runs,
  })

  return {
    functionRegistry,
    check,
    functions,
    installGuide: createGuideInstaller(shared),
    runs,
    testRuns: createTestRuns({ ...shared, functions, runner }),
    chains: createFilterChains(runner),
    respond: createFunctionResponder({ runner, hostServices }),
    close: async (): Promise<void> => {
      stripper.close()
      await sandbox.close()
      await runs.close()
    },
  }
}
