import { expect, it } from "vitest"
import { createUsageRow } from "../../test/harness/usage-records.ts"
import { createCostMetric } from "./cost-metric.ts"

const valuesOf = async ({ metric }: ReturnType<typeof createCostMetric>) =>
  (await metric.get()).values.map(({ labels, value }) => ({ ...labels, value }))

const model = { gen_ai_request_model: "m", gen_ai_provider_name: "openai" }

it("has no labels of people unless they are asked for", async () => {
  const metric = createCostMetric([])
  metric.record(createUsageRow({ cost: 1_500_000_000 }), "openai")
  metric.record(createUsageRow({ cost: 1_000_000_000, user_id: "bob" }), "openai")
  for (const cost of [0, null]) metric.record(createUsageRow({ cost, model: "free" }), "openai")
  expect(await valuesOf(metric)).toEqual([{ ...model, value: 2.5 }])
})

it("has the labels that are asked for, empty where a record has no value", async () => {
  const metric = createCostMetric(["group", "key"])
  metric.record(createUsageRow({ cost: 1e9, group_id: "g" }), "openai")
  metric.record(createUsageRow({ cost: 1e9, group_id: "g", key_id: "k" }), "openai")
  expect(await valuesOf(metric)).toEqual([
    { ...model, group: "g", key: "", value: 1 },
    { ...model, group: "g", key: "k", value: 1 },
  ])
})

it.each([
  ["users", ["user"], (at: number) => ({ user_id: `u${at}` })],
  ["models", [], (at: number) => ({ model: `m${at}` })],
] as const)("sums the cost of further %s once there are too many", async (_, names, fieldsOf) => {
  const metric = createCostMetric(names)
  for (let at = 0; at < 10_050; at++)
    metric.record(createUsageRow({ cost: 1e9, ...fieldsOf(at) }), "openai")
  metric.record(createUsageRow({ cost: 1e9, ...fieldsOf(1) }), "openai")
  const values = await valuesOf(metric)
  expect(values).toHaveLength(10_001)
  expect(values[1]?.value).toBe(2)
  const others = Object.fromEntries(names.map((name) => [name, "other"]))
  const model = { gen_ai_request_model: "other", gen_ai_provider_name: "other" }
  expect(values.at(-1)).toEqual({ ...model, ...others, value: 50 })
})
