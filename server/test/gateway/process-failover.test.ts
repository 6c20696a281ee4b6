import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createChatClient } from "../conversations/chat-client.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { hasPostgres, postgresDatabase, type TestDatabase } from "../harness/databases.ts"
import { adminKey } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { upload } from "../knowledge/collections.ts"

const postgres = postgresDatabase
const longText = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ")

describe.runIf(hasPostgres)("if one of two gateway processes dies", () => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let env: Record<string, string>
  let dying: TestGatewayProcess
  let staying: TestGatewayProcess

  beforeAll(async () => {
    if (!postgres) return
    database = await postgres.createDatabase()
    upstream = await startFakeOpenAI()
    env = { ...database.env, OPENAI_API_BASE_URLS: upstream.url }
    dying = await startTestGatewayProcess(env)
  }, 60_000)
  afterAll(async () => {
    killAllGateways()
    await upstream.close()
    await database.remove()
  })

  const page = ({ url, call }: TestGatewayProcess) =>
    createChatClient(
      {
        url,
        call: async (method, path, body) => ({
          ...(await call(method, path, body)),
          headers: new Headers(),
        }),
      },
      adminKey,
    )

  it("its answers are marked as interrupted and its files taken over within seconds", async () => {
    // This file's job runs in the process that will die, because there is no other yet.
    upstream.injectFault({ kind: "hang" }, { on: /embeddings/, times: 1 })
    const file = await upload(dying, "a.txt", "A file that is read for a long time.")
    await expect
      .poll(() => upstream.requests.filter(({ path }) => path.endsWith("/embeddings")).length, {
        timeout: 20_000,
      })
      .toBe(1)
    staying = await startTestGatewayProcess(env)

    upstream.injectFault({ kind: "slow_frames", ms: 100 }, { on: /chat/, times: 1 })
    const there = page(dying)
    const id = await there.createChat()
    const output = await there.call("POST", `/${id}/messages`, { content: longText })
    expect(output.status).toBe(200)
    upstream.injectFault({ kind: "hang" }, { on: /chat/, times: 1 })
    const silent = await there.createChat()
    await there.call("POST", `/${silent}/messages`, { content: "Say nothing." })

    const here = page(staying)
    const answer = async (chat: string) => (await here.call("GET", `/${chat}`)).body.messages[1]
    // An answer without output stays active while its process lives, for longer than detection
    // takes.
    for (const until = Date.now() + 6000; Date.now() < until; ) {
      expect((await answer(silent)).state).toBe("running")
      expect((await answer(id)).state).toBe("running")
      await new Promise((resolve) => setTimeout(resolve, 200))
    }

    dying.child.kill("SIGKILL")
    await dying.exited
    const killed = performance.now()
    const seconds = () => (performance.now() - killed) / 1000
    await expect.poll(async () => (await answer(id)).state).toBe("running")
    for (const chat of [id, silent]) {
      await expect
        .poll(async () => (await answer(chat)).state, { timeout: 30_000 })
        .toBe("interrupted")
    }
    const noticed = seconds()
    expect((await answer(id)).error.code).toBe("process_ended")
    const status = async () =>
      (await staying.call("GET", `/api/v1/files/${file.body.id}`)).body.data.status
    await expect.poll(status, { timeout: 60_000 }).toBe("completed")
    const takenOver = seconds()
    // The guarantees are 5 s and 10 s; a machine busy with other tests gets twice as long.
    expect([noticed < 10, takenOver < 20, { noticed, takenOver }]).toEqual([
      true,
      true,
      { noticed, takenOver },
    ])
  }, 120_000)
})
