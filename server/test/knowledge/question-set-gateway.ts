import { expect } from "vitest"
import type { TestDatabase } from "../harness/databases.ts"
import { startGatewayOnDatabase } from "../harness/gateway.ts"
import { createCollection, uploadAndEmbed } from "./collections.ts"

/** So many passages that no collection fits into the context budget. */
const rules = Array.from(
  { length: 60 },
  (_, at) => `## Rule ${at}\n\n${`The committee of ward ${at} meets in hall ${at}. `.repeat(18)}`,
).join("\n\n")
export const leave =
  "Employees get 28 days of annual leave, and 30 days after ten years of service."
export const handbook = `# Handbook\n\n${leave}\n`
export const question = "How many days of annual leave do employees get?"

export const quickRuns = { questionCheckMs: 50, questionDelayMs: 600, questionEditDelayMs: 100 }

/** Starts a gateway that runs question sets soon after a change, and what tests of them need. */
export const startQuestionSetGateway = async (
  createDatabase: () => Promise<TestDatabase>,
  env: Record<string, string> = {},
  options: Parameters<typeof startGatewayOnDatabase>[2] = {},
) => {
  const quick = { ...quickRuns, jobPollMs: 50, ...options }
  const gateway = await startGatewayOnDatabase(createDatabase, env, quick)
  const { id: rulesId } = await uploadAndEmbed(gateway, "rules.md", rules)

  const call = (method: string, path: string, body?: unknown, key = gateway.key) =>
    gateway.call(method, `/api/v1/knowledge/${path}`, body, { key })
  const statusOf = async (id: string) => (await call("GET", `${id}/questions/runs`)).body

  return {
    gateway,
    rulesId,
    call,
    statusOf,

    /** A collection with a handbook beside the rules. */
    newCollection: async (text = handbook, name = "handbook.md") => {
      const { id: fileId } = await uploadAndEmbed(gateway, name, text)
      return { id: await createCollection(gateway, "Work", [fileId, rulesId]), fileId }
    },

    addQuestion: async (id: string, fields: object) => {
      const { status, body } = await call("POST", `${id}/questions`, { question, ...fields })
      expect(status, JSON.stringify(body)).toBe(200)
      return body
    },

    questionsOf: async (id: string) => (await call("GET", `${id}/questions`)).body.items,

    /** Resolves with the status once no run is due and the latest one has the reason. */
    waitForRun: async (id: string, reason: string) => {
      const readLast = async () => {
        const { status, runs } = await statusOf(id)
        return [status, runs[0]?.reason]
      }
      await expect.poll(readLast, { timeout: 40_000 }).toEqual(["idle", reason])
      return statusOf(id)
    },

    /** Resolves once the collection has no job. */
    waitForEnd: async (id: string): Promise<void> => {
      const { db } = gateway.gateway
      const jobs = () => db.read.selectFrom("jobs").select("id").where("target", "=", id).execute()
      await expect.poll(jobs).toEqual([])
    },
  }
}

export type QuestionSetGateway = Awaited<ReturnType<typeof startQuestionSetGateway>>
