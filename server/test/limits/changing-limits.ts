import type { Chooser } from "../harness/random.ts"
import { type Faults, initialAmounts, rules } from "./ledger-scenario.ts"

/** Called when a limit is created or changed, and without an amount when it is deleted. */
export type OnAmount = (limitId: string, amount: number | undefined) => Promise<void>

interface Deps {
  choose: Chooser
  faults: Faults
  onAmount: OnAmount
}

/** The limits of a world, and what administrators and owners of keys change. */
export const createChangingLimits = ({ choose, faults, onAmount }: Deps) => {
  const amounts = new Map(Object.entries(initialAmounts))
  const maxAmounts = new Map(amounts)
  const ruleByName = new Map(rules.map((rule) => [rule.id, rule]))
  /** Ids of limits that were soft at some time: what they reserved is not known any more. */
  const softIds = new Set(rules.filter(({ mode }) => mode === "soft").map(({ id }) => id))
  let recreated = 0
  const names = rules.map(({ id }) => id)
  const chooseNames = (share: number): string[] => names.filter(() => choose.chance(share))
  /** The limits of callers; each limit is the only one of some caller, so that it is used up. */
  const callers = names.map((name) => [...new Set([name, ...chooseNames(0.2)])])

  const changeAmount = async (): Promise<void> => {
    const [name, limit] = choose.pick([...ruleByName])
    const initial = initialAmounts[name] ?? 0
    if (limit.window === "minute" || !faults.changedAmounts) return
    const changed = Math.floor(initial * (0.5 + choose.random()))
    amounts.set(limit.id, changed)
    maxAmounts.set(limit.id, Math.max(changed, maxAmounts.get(limit.id) ?? 0))
    await onAmount(limit.id, changed)
  }

  /** A group's limits apply to a caller, or no longer. */
  const changeMembership = (): void => {
    const index = choose.below(callers.length)
    const [own] = callers[index] ?? []
    if (own !== undefined) callers[index] = [...new Set([own, ...chooseNames(0.2)])]
  }

  /** A new key takes the place of another: its limits are the same, and go on counting. */
  const rotateKey = (): void => {
    const index = choose.below(callers.length)
    callers[index] = [...(callers[index] ?? [])]
    const limit = ruleByName.get("key")
    if (limit) ruleByName.set("key", { ...limit })
  }

  const changeRule = (): void => {
    if (!faults.changedRules) return
    const [name, limit] = choose.pick([...ruleByName])
    if (limit.metric === "concurrency") return
    const window = choose.pick(["minute", "hour", "day", "month", "total"] as const)
    const rolling = window !== "total" && choose.chance(0.5)
    const mode = choose.chance(0.2) ? "soft" : "hard"
    if (mode === "soft") softIds.add(limit.id)
    ruleByName.set(name, { ...limit, window, rolling, mode })
  }

  /** Deletes a limit, and creates the same again, which starts at 0. */
  const recreateLimit = async (): Promise<void> => {
    if (!faults.changedRules) return
    const [name, limit] = choose.pick([...ruleByName])
    const id = `${name} ${++recreated}`
    const amount = initialAmounts[name] ?? 0
    amounts.delete(limit.id)
    amounts.set(id, amount)
    maxAmounts.set(id, amount)
    if (softIds.has(limit.id)) softIds.add(id)
    ruleByName.set(name, { ...limit, id })
    await onAmount(limit.id, undefined)
    await onAmount(id, amount)
  }

  return {
    ...{ amounts, maxAmounts, ruleByName, softIds, callers },
    ...{ changeAmount, changeMembership, rotateKey, changeRule, recreateLimit },
  }
}
