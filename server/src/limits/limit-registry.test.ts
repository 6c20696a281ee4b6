import { describe, expect, it, vi } from "vitest"
import { createLimitRegistry, type LimitScope } from "./limit-registry.ts"
import type { StoredLimit } from "./store.ts"

const limitOf = (id: string, values: Partial<StoredLimit> = {}): StoredLimit => ({
  ...{ id, target: { type: "key", id: "key" }, metric: "requests", amount: 1, window: "day" },
  ...{ mode: "hard", time_zone: "UTC", rolling: false, raise: null },
  ...{ set_by: "administrator", group_id: null, createdMs: 0, updatedMs: 0 },
  ...values,
})

const scope: LimitScope = { userId: "user", groupIds: new Set(), keyId: "key", modelIds: [] }

const createTestRegistry = async (initial: readonly StoredLimit[]) => {
  const stored = new Map(initial.map((limit) => [limit.id, limit]))
  const list = vi.fn(async () =>
    [...stored.values()].sort((one, other) => one.createdMs - other.createdMs),
  )
  const untrack = vi.fn()
  const registry = await createLimitRegistry({
    store: { list, findById: async (id) => stored.get(id) },
    bus: { publish: async () => {}, subscribe: () => () => {}, close: async () => {} },
    ledger: { track: (rule) => ({ rule }) as never, untrack },
  })
  const ids = () => registry.all().map(({ id }) => id)
  const applicable = (keyId: string) =>
    registry.findApplicable({ ...scope, keyId }).map(({ id, amount }) => `${id} ${amount}`)
  return { ...{ registry, stored, list, untrack, ids, applicable } }
}

describe("the registry of limits", () => {
  it("reads only the limit that changed, and keeps their order", async () => {
    const { registry, stored, list, ids, applicable } = await createTestRegistry([
      limitOf("a", { createdMs: 1 }),
      limitOf("c", { createdMs: 3 }),
    ])
    stored.set("b", limitOf("b", { createdMs: 2 }))
    await registry.reload("b")
    stored.set("a", limitOf("a", { createdMs: 1, amount: 5 }))
    await registry.reload("a")
    expect(ids()).toEqual(["a", "b", "c"])
    expect(applicable("key")).toEqual(["a 5", "b 1", "c 1"])
    expect(list).toHaveBeenCalledTimes(1)
  })

  it("forgets a limit that was deleted", async () => {
    const { registry, stored, untrack, ids, applicable } = await createTestRegistry([limitOf("a")])
    stored.delete("a")
    await registry.reload("a")
    await registry.reload("unknown")
    expect([ids(), applicable("key"), registry.hasKeyLimits("key")]).toEqual([[], [], false])
    expect(untrack.mock.calls).toEqual([["a"], ["unknown"]])
  })

  it("moves a limit to another target", async () => {
    const { registry, stored, ids, applicable } = await createTestRegistry([
      limitOf("a"),
      limitOf("b", { createdMs: 1 }),
    ])
    stored.set("a", limitOf("a", { target: { type: "key", id: "new" } }))
    await registry.reload("a")
    expect([ids(), applicable("key"), applicable("new")]).toEqual([["a", "b"], ["b 1"], ["a 1"]])
  })

  it("reads all after any may have changed", async () => {
    const { registry, stored, untrack, ids } = await createTestRegistry([limitOf("a")])
    await registry.reload("a")
    stored.clear()
    stored.set("b", limitOf("b"))
    await registry.reload(null)
    expect(ids()).toEqual(["b"])
    expect(untrack.mock.calls).toEqual([["a"]])
  })
})
