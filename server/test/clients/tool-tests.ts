import assert from "node:assert/strict"
import type { ClientContext } from "./client.ts"
import {
  createCallPrompt,
  reasoningReturned,
  reasoningText,
  thinkFirst,
} from "./scripted-providers/scripted-model.ts"

const callWeather = createCallPrompt("weather", { city: "Lima" })

interface ToolTestOptions<Send> {
  /** Functions that send a request: one for whole answers, one for streamed ones. */
  sendFunctions: readonly Send[]
  /** Has the model call the tool, and checks that it answers with the tool's result. */
  callTool: (send: Send, model: string, prompt: string) => Promise<ToolAnswer>
}

export interface ToolAnswer {
  /** The model's reasoning before the call; undefined if there is none. */
  reasoning: string | undefined
  /** The text after the tool's result. */
  text: string
}

/** Creates an SDK's tests of tools and of reasoning. */
export const createToolTests = <Send>({ sendFunctions, callTool }: ToolTestOptions<Send>) => ({
  tools: async ({ model }: ClientContext): Promise<void> => {
    for (const send of sendFunctions) await callTool(send, model, callWeather)
  },
  reasoning: async ({ model }: ClientContext): Promise<void> => {
    for (const send of sendFunctions) {
      const { reasoning, text } = await callTool(send, model, `${thinkFirst} ${callWeather}`)
      assert.equal(reasoning, reasoningText)
      assert.ok(text.includes(reasoningReturned), "the reasoning did not come back")
    }
  },
})
