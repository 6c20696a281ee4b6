import { pino } from "pino"
import { expect, it } from "vitest"
import { type Caller, noCredentialLimits } from "../../http/caller.ts"
import { createQuestionRewriter } from "./question-rewriter.ts"

const caller: Caller = {
  user: { id: "ada", email: "ada@example.com", name: "Ada", role: "user" },
  groups: new Set(),
  paying_group: null,
  credential: { type: "session", id: "ada", limits: noCredentialLimits },
  confirmed_at: 0,
}

const rewriteWith = (detectLanguage: () => Promise<string | null>, signal?: AbortSignal) => {
  const rewriteQuestion = createQuestionRewriter({
    log: pino({ level: "silent" }),
    askModel: async () => "{}",
    settings: () => ({ query_rewriting_model: "", query_rewriting_timeout_ms: 100 }),
    detectLanguage,
    nowMs: () => performance.now(),
  })
  return rewriteQuestion({
    ...{ caller, chatModel: "writer", mode: "automatic", turns: [], fileLanguages: ["de"], signal },
    question: "Which parts of the ship have to be checked before each voyage?",
  })
}

it.each([
  ["is late", () => new Promise<null>(() => {})],
  ["fails", () => Promise.reject(new Error("The thread ended."))],
])("does not rewrite a question if the detection of its language %s", async (_name, detect) => {
  expect(await rewriteWith(detect)).toMatchObject({
    ...{ outcome: "not_needed", model: null, queries: [], error: null },
  })
})

it("ends with the request while the language is detected", async () => {
  const controller = new AbortController()
  const rewriting = rewriteWith(() => new Promise<null>(() => {}), controller.signal)
  controller.abort(new Error("The client disconnected."))
  await expect(rewriting).rejects.toThrow("The client disconnected.")
})
