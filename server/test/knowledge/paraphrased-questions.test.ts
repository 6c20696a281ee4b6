import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { readManual, readOneFact } from "../../bench/answers/retrieval-sets.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { amount } from "../harness/short-and-long-form.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { embedderOptions, modelTimeoutMs } from "./built-in-model-process.ts"
import { createCollection, uploadAndEmbed } from "./collections.ts"

vi.setConfig({ testTimeout: modelTimeoutMs, hookTimeout: modelTimeoutMs })

const facts = readOneFact()
const files = facts.files.slice(0, 14)
const questions = facts.questions.filter(({ gold }) => gold && files.includes(gold.file))

const databases = chooseDatabases()
/** Embedding the whole manual takes most of the time, and does not depend on the database. */
const passagesOf = (database: string): number =>
  database === databases[0]?.name ? amount(100, 420) : 100

describe.each(databases)(
  "paraphrased questions with only the built-in embedding model, on $name",
  ({ createDatabase, name: databaseName }) => {
    let database: TestDatabase
    let gateway: TestGateway
    let upstream: FakeOpenAI
    let fileIds: string[] = []

    beforeAll(async () => {
      database = await createDatabase()
      upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
      const env = { ...database.env, OPENAI_API_BASE_URLS: upstream.url }
      gateway = await startGateway(env, embedderOptions)
      await waitForModels(gateway, ["gpt-fake"])
      fileIds = await Promise.all(files.map(({ name, text }) => addFile(name, text)))
    })
    afterAll(async () => {
      await gateway.stop()
      await upstream.close()
      await database.remove()
    })

    const addFile = async (name: string, text: string): Promise<string> => {
      const { id, data } = await uploadAndEmbed(gateway, name, text)
      expect(data.status).toBe("completed")
      return id
    }

    /**
     * The numbered sources in the prompt sent to the model, without the preceding list of files.
     */
    const sourcesFor = async (question: string, collection: string): Promise<string> => {
      const { status } = await gateway.call("POST", "/v1/chat/completions", {
        model: "gpt-fake",
        messages: [{ role: "user", content: question }],
        files: [{ type: "collection", id: collection }],
      })
      expect(status).toBe(200)
      const sent = upstream.requests.filter(({ path }) => path.endsWith("/chat/completions")).at(-1)
      const { messages } = JSON.parse(sent?.body.toString() ?? "{}")
      const prompt = messages.map(({ content }: { content: string }) => content).join("\n")
      return prompt.slice(prompt.indexOf('number="1"'))
    }

    /** The questions whose passage did not reach the model. */
    const findMissed = async (collection: string): Promise<string[]> => {
      const missed: string[] = []
      for (const { text, gold } of questions) {
        const sources = await sourcesFor(text, collection)
        if (!gold || !sources.includes(gold.file.text)) missed.push(text)
      }
      return missed
    }

    it("retrieve the right passage from fourteen files", async () => {
      expect(questions).toHaveLength(14)
      expect(await findMissed(await createCollection(gateway, "Facts", fileIds))).toEqual([])
    })

    it(
      "retrieve the right passage even next to a long manual",
      async () => {
        const { name, text } = readManual(passagesOf(databaseName))
        const manualId = await addFile(name, text)
        expect(
          await findMissed(await createCollection(gateway, "All", [...fileIds, manualId])),
        ).toEqual([])
      },
      amount(60_000, 240_000),
    )
  },
)
