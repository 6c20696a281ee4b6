import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, postgresDatabase, type TestDatabase } from "../harness/databases.ts"
import { startGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"
import { createChatClient } from "./chat-client.ts"

const key = "sk-crash-test-0123456789abcdefgh"
/** These tests start separate processes while other tests run. */
const timeout = 60_000
const longText = Array.from({ length: 200 }, (_, index) => `word${index}`).join(" ")

describe.each(chooseDatabases())(
  "a gateway that exits during an answer on $name",
  ({ createDatabase }) => {
    let database: TestDatabase
    let upstream: FakeOpenAI
    let env: Record<string, string>

    beforeAll(async () => {
      database = await createDatabase()
      upstream = await startFakeOpenAI({ apiKey: "up-key" })
      env = {
        ...database.env,
        ADMIN_API_KEY: key,
        OPENAI_API_BASE_URLS: upstream.url,
        OPENAI_API_KEYS: "up-key",
        DRAIN_TIMEOUT: "300ms",
      }
    })
    afterAll(async () => {
      killAllGateways()
      await upstream.close()
      await database.remove()
    })

    const client = (url: string) => {
      const call = async (method: string, path: string, body?: unknown) => {
        const response = await fetch(url + path, {
          method,
          headers: { authorization: `Bearer ${key}` },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        return { status: response.status, headers: response.headers, body: await response.json() }
      }
      return createChatClient({ url, call }, key)
    }

    /** Starts an answer and ends the gateway when part of the answer has been received. */
    const interruptAnswer = async (end: "kill" | "stop") => {
      const first = await startTestGatewayProcess(env)
      const ada = client(first.url)
      upstream.injectFault({ kind: "slow_frames", ms: 20 }, { on: /chat/ })
      const id = await ada.createChat()
      const started = await ada.call("POST", `/${id}/messages`, { content: longText })
      const answerId: string = started.body.messages[1].id
      const following = await ada.follow(id, started.body.seq)
      await following.waitFor(({ name, data }) => name === "delta" && data.content_at > 200)
      await first[end]()
      await following.ended
      return { id, seen: following.text(answerId), last: following.last() }
    }

    it("keeps all but the last moment of the answer, reports the interruption, and resumes", {
      timeout,
    }, async () => {
      const { id, seen, last } = await interruptAnswer("kill")
      const second = await startTestGatewayProcess(env)
      const ada = client(second.url)
      const answer = async () => (await ada.call("GET", `/${id}`)).body.messages[1]
      await expect.poll(async () => (await answer()).state, { timeout: 30_000 }).toBe("interrupted")
      const { content, error } = await answer()
      expect(error).toMatchObject({ code: "process_ended" })
      expect(error.message).toContain("The gateway stopped while this answer was being written")
      expect(seen.startsWith(content)).toBe(true)
      // One word of about 8 characters every 20 ms, and a write every 300 ms, is 120 characters; the
      // rest is tolerance for a machine that is busy with other tests.
      expect(seen.length - content.length).toBeLessThan(600)
      const back = await ada.follow(id, last)
      const snapshot = await back.waitFor(({ name }) => name === "snapshot")
      expect(snapshot.id).toBeGreaterThan(last)
      back.leave()
      const [, next] = await ada.sendMessage(id, { content: "go on" })
      expect(next.state).toBe("completed")
      await second.stop()
    })

    it("loses nothing when it is stopped normally", { timeout }, async () => {
      const { id, seen } = await interruptAnswer("stop")
      const second = await startTestGatewayProcess(env)
      const { body } = await client(second.url).call("GET", `/${id}`)
      const [, answer] = body.messages
      expect(answer).toMatchObject({ state: "interrupted", error: { code: "shutting_down" } })
      expect(answer.content.startsWith(seen)).toBe(true)
      await second.stop()
    })
  },
)

const postgres = postgresDatabase

describe.runIf(postgres)("two processes on one PostgreSQL", () => {
  it("show and stop each other's answers, and do not interrupt them when they start", {
    timeout,
  }, async () => {
    const database = await postgres?.createDatabase()
    const upstream = await startFakeOpenAI({ apiKey: "up-key" })
    const env = { OPENAI_API_BASE_URLS: upstream.url, OPENAI_API_KEYS: "up-key" }
    const firstGateway = await startGateway({ ...database?.env, ...env })
    upstream.injectFault({ kind: "slow_frames", ms: 100 }, { on: /chat/, times: 2 })
    const { key: own } = await firstGateway.createUser("Grace")
    const firstClient = createChatClient(firstGateway, own)
    const id = await firstClient.createChat()
    const started = await firstClient.call("POST", `/${id}/messages`, { content: longText })
    const answerId: string = started.body.messages[1].id
    const secondGateway = await startGateway({ ...database?.env, ...env })
    const secondClient = createChatClient(secondGateway, own)
    const following = await secondClient.follow(id)
    await following.waitFor(
      ({ name, data }) => name === "message" && data.id === answerId && data.content.length > 60,
    )
    await secondClient.call("POST", `/${id}/stop`, {})
    await following.waitFor(
      ({ name, data }) => name === "message" && data.id === answerId && data.state === "stopped",
    )
    following.leave()
    await secondGateway.stop()
    await firstGateway.stop()
    await upstream.close()
    await database?.remove()
  })
})
