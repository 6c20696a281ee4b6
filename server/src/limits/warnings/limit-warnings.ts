import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Database, Tx } from "../../db/database.ts"
import type { Webhooks } from "../../webhooks/webhooks.ts"
import type { LimitRegistry } from "../limit-registry.ts"
import type { LimitTarget } from "../schema.ts"
import { keyOfTarget } from "../target-names.ts"
import { createUseReader, isSpendable, type LimitUse } from "./limit-uses.ts"
import type { Rejections } from "./rejections.ts"
import { createWarningEvent } from "./warning-event.ts"
import {
  decideWarning,
  type LimitWarning,
  levelOf,
  type PresentLevel,
  type WarningLevel,
} from "./warning-level.ts"
import { lockExisting, readWarnings, saveWarnings } from "./warning-store.ts"

const defaultIntervalMs = 15_000
/** Limits per query, so that no turn of the event loop is long. */
const chunkSize = 500
const lock = "limit warnings"

export interface LimitWarningOptions {
  /** How often limits are checked. */
  limitWarningMs?: number
}

/** A limit's use, and the level that is reported. */
export interface ReportedUse extends LimitUse {
  level: WarningLevel
}

interface Deps extends LimitWarningOptions {
  background: BackgroundTasks
  db: Database
  registry: Pick<LimitRegistry, "all">
  rejections: Rejections
  webhooks: Pick<Webhooks, "send">
  readTargetNames: (targets: readonly LimitTarget[]) => Promise<(string | null)[]>
  nowMs: () => number
}

interface Change {
  use: ReportedUse
  present: PresentLevel
}

const toPresent = (use: ReportedUse, at: number): PresentLevel => ({
  ...{ period: use.period, isRolling: use.limit.rolling, level: use.level },
  ...{ amount: use.amount, at },
})

const toWarning = ({ use, present }: Change, level: WarningLevel) => ({
  ...{ limitId: use.limit.id, period: present.period.series, level },
  ...{ amount: present.amount, warnedMs: present.at },
})

/**
 * Checks regularly what is spent of limits, on every process; the one that stores a warning first
 * reports it.
 */
export const createLimitWarnings = (deps: Deps) => {
  const { background, db, registry, rejections, webhooks, readTargetNames, nowMs } = deps
  let uses: readonly ReportedUse[] = []
  let warned: readonly ReportedUse[] = []
  let warnedByTarget: ReadonlyMap<string, readonly ReportedUse[]> = new Map()

  const findChanges = (
    reported: readonly ReportedUse[],
    stored: ReadonlyMap<string, LimitWarning>,
    at: number,
  ): Change[] =>
    reported
      .map((use) => ({ use, present: toPresent(use, at) }))
      .filter(({ use, present }) => decideWarning(present, stored.get(use.limit.id)) !== null)

  const store = async (tx: Tx, changes: readonly Change[], names: readonly (string | null)[]) => {
    const ids = changes.map(({ use }) => use.limit.id)
    const existing = await lockExisting(tx, ids, { isPostgres: db.dialect === "postgres" })
    const stored = await readWarnings(tx, ids)
    const decided = changes.flatMap((change, position) => {
      const { id } = change.use.limit
      const decision = existing.has(id) ? decideWarning(change.present, stored.get(id)) : null
      return decision ? [{ change, decision, name: names[position] ?? null }] : []
    })
    await saveWarnings(
      tx,
      decided.map(({ change, decision }) => toWarning(change, decision.level)),
    )
    const events = decided
      .filter(({ decision }) => decision.isWarning)
      .map(({ change, decision, name }) => createWarningEvent(change.use, decision.level, name))
    await webhooks.send(tx, events)
  }

  /** A warning of a calendar period stays until it ends: what was rejected was rejected. */
  const withStored = (use: ReportedUse, stored: LimitWarning | undefined): ReportedUse => {
    const isCurrent = !use.limit.rolling && stored?.period === use.period.series
    const isSame = isCurrent && stored.amount === use.amount && stored.level > use.level
    return isSame ? { ...use, level: stored.level } : use
  }

  const check = async (present: readonly LimitUse[], at: number): Promise<ReportedUse[]> => {
    const reported = present.map((use) => ({
      ...use,
      level: levelOf(use, rejections.has(use.limit.id, use)),
    }))
    const ids = reported.map(({ limit }) => limit.id)
    const stored = await readWarnings(db.backgroundReader, ids)
    const changes = findChanges(reported, stored, at)
    if (changes.length > 0) {
      const names = await readTargetNames(changes.map(({ use }) => use.limit.target))
      await db.transactLocked([lock], (tx) => store(tx, changes, names))
    }
    return reported.map((use) => withStored(use, stored.get(use.limit.id)))
  }

  const checkAll = async (): Promise<void> => {
    const at = nowMs()
    const limits = registry.all().filter(isSpendable)
    const readUses = createUseReader(db, at)
    const checked: ReportedUse[] = []
    for (let start = 0; start < limits.length; start += chunkSize) {
      if (background.signal.aborted) return
      const chunk = await readUses(limits.slice(start, start + chunkSize))
      for (const use of await check(chunk, at)) checked.push(use)
    }
    rejections.forget(at)
    uses = checked
    warned = checked.filter(({ level }) => level > 0)
    warnedByTarget = Map.groupBy(warned, ({ limit }) => keyOfTarget(limit.target))
  }

  const { limitWarningMs = defaultIntervalMs } = deps
  background.every(limitWarningMs, "warn of limits", checkAll, { firstAfterMs: limitWarningMs / 3 })

  return {
    /** All limits with a sum, as of the last check. */
    uses: () => uses,
    /** Those of which was warned. */
    warned: () => warned,
    warnedOf: (type: LimitTarget["type"], id?: string): readonly ReportedUse[] =>
      warnedByTarget.get(keyOfTarget({ type, id })) ?? [],
  }
}

export type LimitWarnings = ReturnType<typeof createLimitWarnings>
