import type { TestGateway } from "../../server/test/harness/gateway.ts"

interface LimitSeedOptions {
  userId: string
  groupId: string
  keyId: string
  ownKeyId: string
  connectionId: string
}

/** Limits of each kind, in different states. @returns the id of one that is nearly reached */
export const seedLimits = async (
  { call }: TestGateway,
  { userId, groupId, keyId, ownKeyId, connectionId }: LimitSeedOptions,
): Promise<string> => {
  const create = async (limit: object): Promise<string> =>
    (await call("POST", "/api/v1/limits", limit)).body.id
  const adminId: string = (await call("GET", "/api/v1/auths")).body.id
  const month = { window: "month", time_zone: "Europe/Berlin" }
  const cost = { metric: "cost", ...month }
  const model = "harbour-pilot"
  await create({ target: { type: "everyone" }, metric: "concurrency", amount: 200 })
  await create({ target: { type: "connection", id: connectionId }, ...cost, amount: 0 })
  await create({
    target: { type: "user", id: userId },
    ...{ metric: "tokens", amount: 2_000_000, window: "week", rolling: true, mode: "soft" },
    model: "gpt-fake",
  })
  await create({
    target: { type: "key", id: keyId },
    ...{ metric: "requests", amount: 10, window: "minute" },
  })
  await create({
    target: { type: "key", id: ownKeyId },
    ...{ metric: "cost", amount: 2e9, window: "day", rolling: true },
  })
  for (const target of [
    { type: "user", id: userId },
    { type: "key", id: keyId },
  ])
    await create({ target, group_id: groupId, ...cost, amount: 20e9 })
  await create({ target: { type: "user", id: adminId }, ...cost, amount: 30e9, mode: "soft" })
  await create({
    target: { type: "group", id: groupId },
    ...{ ...cost, amount: 50e9, raise: { amount: 80e9, until: 4_102_444_800 } },
  })
  const id = await create({
    target: { type: "model", id: model },
    ...{ metric: "requests", amount: 5, ...month },
  })
  const messages = [{ role: "user", content: "When does the tide turn?" }]
  for (let count = 0; count < 4; count++)
    await call("POST", "/v1/chat/completions", { model, messages })
  return id
}

/** A webhook whose receiver cannot be reached. */
export const seedWebhook = async ({ call }: TestGateway): Promise<void> => {
  await call("PUT", "/api/v1/webhook", { url: "http://127.0.0.1:9/hooks/portico" })
  await call("POST", "/api/v1/webhook/test")
}
