import { randomUUIDv7 } from "node:crypto"
import type { Audit } from "../audit/audit.ts"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import type { EndpointPrices } from "../prices/endpoint-prices.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { Metrics } from "../usage/metrics.ts"
import type { UsageRecorders } from "../usage/usage-recorder.ts"
import type { Webhooks } from "../webhooks/webhooks.ts"
import { createAdmission } from "./admission/admission.ts"
import { createReserve } from "./admission/reserve.ts"
import { createLeaseWatch, leaseWatchMs } from "./ledger/lease-watch.ts"
import { createLedger } from "./ledger/ledger.ts"
import { createSqlLedgerStore } from "./ledger/sql-ledger-store.ts"
import { createLimitAccess, type LimitAccessDeps } from "./limit-access.ts"
import { createLimitRegistry } from "./limit-registry.ts"
import { createLimits } from "./limits.ts"
import { createLimitStore } from "./store.ts"
import { createTargetNames } from "./target-names.ts"
import { createTargetStore } from "./target-store.ts"
import { addBudgetMetric } from "./warnings/budget-metric.ts"
import { createLimitNotices } from "./warnings/limit-notices.ts"
import { createLimitWarnings, type LimitWarningOptions } from "./warnings/limit-warnings.ts"
import { createRejections } from "./warnings/rejections.ts"

/** Other processes, and lists of limits, learn this late what was used. */
const renewMs = 250
/** Without other processes; each report waits for the disk. What is taken ahead expires after a second. */
const onlyProcessRenewMs = 500

interface Deps extends Omit<LimitAccessDeps, "targets">, LimitWarningOptions {
  config: Pick<Config, "METRICS_LABELS">
  background: BackgroundTasks
  db: Database
  bus: Bus
  audit: Audit
  settings: SettingsStore
  usageRecorders: UsageRecorders
  endpointPrices: EndpointPrices
  metrics: Pick<Metrics, "registerGauge">
  webhooks: Webhooks
  /** Whether no other process uses the database. */
  isOnlyProcess: boolean
  /** Names of all connections by id, from the environment too. */
  connectionNames: () => Promise<ReadonlyMap<string, string>>
  newId: () => string
  now: () => number
  nowMs: () => number
}

/** Creates the limits, and the ledger that reserves from them. */
export const createLimitParts = async (deps: Deps) => {
  const { background, db, settings, usageRecorders, isOnlyProcess, nowMs } = deps
  const ledgerStore = createSqlLedgerStore(db)
  // Also after the clock was set back, and whatever ids tests create.
  const processId = randomUUIDv7()
  const ledger = createLedger({
    store: ledgerStore,
    processId,
    runInBackground: background.runInBackground,
    admitsWithoutDatabase: () => settings.current().limits_without_database === "admit",
    wallMs: nowMs,
  })
  if (isOnlyProcess) await ledgerStore.closeAllLeases()
  const store = createLimitStore(db)
  const registry = await createLimitRegistry({ ...deps, store, ledger })
  const targetNames = createTargetNames(deps)
  const access = createLimitAccess({ ...deps, targets: createTargetStore(db) })
  const usageLimits = createLimits({ ...deps, store, registry, ledger, targetNames, access })

  // Without limits, there is nothing to report.
  const whileLimited = (work: () => Promise<unknown>) => async (): Promise<void> => {
    if (registry.all().length > 0) await work()
  }
  const everyMs = isOnlyProcess ? onlyProcessRenewMs : renewMs
  background.every(everyMs, "report what is used of limits", whileLimited(ledger.renew))
  const { closeDead } = createLeaseWatch({ store: ledgerStore, processId })
  if (!isOnlyProcess)
    background.every(leaseWatchMs, "close leases of ended processes", whileLimited(closeDead))

  const rejections = createRejections({ nowMs })
  const warnings = createLimitWarnings({
    ...{ ...deps, registry, rejections },
    readTargetNames: async (targets) =>
      (await targetNames.read(targets)).map(({ target_name }) => target_name),
  })
  addBudgetMetric({ ...deps, warnings, labels: deps.config.METRICS_LABELS })

  const admit = createAdmission({
    ...{ usageRecorders, registry, ledger, settings, nowMs },
    reserve: createReserve({ ledger, nowMs, onRejected: rejections.record }),
    endpointPrices: deps.endpointPrices,
  })

  return {
    usageLimits,
    limitNotices: createLimitNotices({ warnings }),
    admit,
    closeLedger: ledger.close,

    deleteEndedLimits: async (): Promise<void> => {
      await usageLimits.deleteOrphans()
      await ledgerStore.deleteEnded(nowMs())
    },
  }
}
