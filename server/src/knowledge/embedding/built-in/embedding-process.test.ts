import { afterAll, expect, it, vi } from "vitest"
import { modelTimeoutMs } from "../../../../test/knowledge/built-in-model-process.ts"
import { createEmbeddingProcess } from "./embedding-process.ts"
import { allMiniLM, shippedModelFolder } from "./model-descriptions.ts"

vi.setConfig({ testTimeout: modelTimeoutMs })

const model = createEmbeddingProcess({
  folder: shippedModelFolder,
  model: allMiniLM,
  idleMs: 60_000,
  timeoutMs: modelTimeoutMs,
  retryMs: 60_000,
  reportProblem: (reason) => {
    throw new Error(String(reason))
  },
})
afterAll(() => model.close())

const embed = (text: string): Promise<Float32Array> =>
  model.embed({ kind: "passage", text }, AbortSignal.timeout(modelTimeoutMs))

const similarityOf = async (one: string, other: string): Promise<number> => {
  const [a, b] = await Promise.all([embed(one), embed(other)])
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}

const leave = "Employees are entitled to thirty vacation days per calendar year."

// Similarities computed with the float32 weights of sentence-transformers/all-MiniLM-L6-v2.
it.each([
  [leave, "How much annual leave do workers get?", 0.492],
  [leave, "The canteen serves soup at noon.", 0.036],
  ["Die Katze liegt auf dem Sofa.", "Wie viele Urlaubstage gibt es?", 0.408],
  ["北京是中华人民共和国的首都。", "Where is the capital of China?", 0.431],
])("scores the similarity of %s and %s like the original model", async (one, other, expected) => {
  const similarity = await similarityOf(one, other)
  expect(Math.abs(similarity - expected)).toBeLessThan(0.02)
})

it("embeds all windows of a text longer than the model's context", async () => {
  const soup = "The canteen serves soup at noon. ".repeat(60)
  const withLeave = await similarityOf(`${soup}${leave.repeat(40)}`, leave)
  expect(withLeave).toBeGreaterThan((await similarityOf(soup, leave)) + 0.2)
})

it.each(["", " ", "\u0000\ud800", "x".repeat(2000), "ﷺ".repeat(500), "漢".repeat(1300)])(
  "returns a unit vector for any text",
  async (text) => {
    const vector = await embed(text)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
  },
)

it("drops a text whose request was aborted", async () => {
  const controller = new AbortController()
  const first = embed(leave)
  const second = model.embed({ kind: "passage", text: leave }, controller.signal)
  controller.abort(new Error("gave up"))
  await expect(second).rejects.toThrow("gave up")
  await expect(first).resolves.toHaveLength(384)
})
