// Tries the AI SDK with one of its providers; see ../sdk-programs.ts.
import assert from "node:assert/strict"
import { generateText, Output, stepCountIs, streamText, tool } from "ai"
import { z } from "zod"
import { runFeatures } from "./run-features.mjs"

const plainAnswer = "Hello from the scripted model."
const callWeather = 'Call weather with {"city":"Lima"}'
const weather = tool({
  description: "Looks up the weather.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `21 degrees in ${city}`,
})

/** Reads a stream to its end. @returns the parts, and the answer once it is complete */
const readStream = async (options) => {
  const errors = []
  const result = streamText({ ...options, onError: ({ error }) => errors.push(error) })
  const parts = []
  for await (const part of result.fullStream) parts.push(part)
  if (errors.length > 0) throw errors[0]
  return { parts, text: await result.text, steps: await result.steps, usage: await result.usage }
}

/** @param options for every call: the model, and what its provider requires */
export const tryAiSdk = async ({ options, unknownModel }) => {
  const common = { ...options, maxRetries: 0 }
  const withTools = { ...common, tools: { weather }, stopWhen: stepCountIs(3) }
  const sendTo = { generateText, readStream }
  const callTool = async (send, prompt) => {
    const { text, steps } = await sendTo[send]({ ...withTools, prompt })
    assert.match(text, /The tool returned: "?21 degrees in Lima"?/)
    assert.equal(steps.length, 2)
    return { text, steps }
  }
  const checkReasoning = async (send) => {
    const { text, steps } = await callTool(send, `Think first. ${callWeather}`)
    assert.equal(steps[0].reasoningText, "The user wants an answer.")
    assert.ok(text.includes("I remember why."), "the reasoning did not come back")
  }
  const askAbout = async (file) => {
    const content = [
      { type: "text", text: "What is this?" },
      { type: "file", ...file },
    ]
    const { text } = await generateText({ ...common, messages: [{ role: "user", content }] })
    return text
  }
  await runFeatures({
    text: async () => {
      const { text, usage, finishReason } = await generateText({ ...common, prompt: "Hello" })
      assert.equal(text, plainAnswer)
      assert.equal(finishReason, "stop")
      assert.equal(usage.outputTokens, 10)
    },
    stream: async () => {
      const { parts, text, usage } = await readStream({ ...common, prompt: "Hello" })
      assert.equal(text, plainAnswer)
      assert.ok(parts.filter(({ type }) => type === "text-delta").length > 1)
      assert.equal(usage.outputTokens, 10)
    },
    tools: async () => {
      await callTool("generateText", callWeather)
      await callTool("readStream", callWeather)
    },
    reasoning: async () => {
      await checkReasoning("generateText")
      await checkReasoning("readStream")
    },
    "structured output": async () => {
      const schema = z.object({ city: z.string(), degrees: z.number() })
      const output = Output.object({ schema })
      const answer = await generateText({ ...common, prompt: "Hello", output })
      assert.deepEqual(answer.output, { city: "Lima", degrees: 21 })
    },
    images: async () => {
      const image = { data: process.env.PIXEL, mediaType: "image/png" }
      assert.equal(await askAbout(image), "I see image/png.")
    },
    documents: async () => {
      const document = { data: process.env.PDF, mediaType: "application/pdf", filename: "a.pdf" }
      assert.equal(await askAbout(document), "I see application/pdf.")
    },
    errors: async () => {
      const request = generateText({ ...common, model: unknownModel, prompt: "Hello" })
      await assert.rejects(request, ({ name, statusCode }) => {
        assert.equal(name, "AI_APICallError")
        assert.equal(statusCode, 404)
        return true
      })
    },
  })
}
