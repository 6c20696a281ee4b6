// Tries OpenAI's Agents SDK, whose settings are OPENAI_BASE_URL and OPENAI_API_KEY; see ../sdk-programs.ts.
import assert from "node:assert/strict"
import { Agent, run, setTracingDisabled, tool } from "@openai/agents"
import { z } from "zod"
import { runFeatures } from "./run-features.mjs"

process.env.OPENAI_BASE_URL = `${process.env.GATEWAY_URL}/v1`
process.env.OPENAI_API_KEY = process.env.GATEWAY_KEY
setTracingDisabled(true)

const callWeather = 'Call weather with {"city":"Lima"}'
const weather = tool({
  name: "weather",
  description: "Looks up the weather.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `21 degrees in ${city}`,
})
const settings = { name: "Assistant", instructions: "Be brief.", model: process.env.MODEL }
const agent = new Agent(settings)
const agentWithTools = new Agent({ ...settings, tools: [weather] })

const runStreamed = async (runAgent, input) => {
  const result = await run(runAgent, input, { stream: true })
  const events = []
  for await (const event of result) events.push(event)
  await result.completed
  return { events, finalOutput: result.finalOutput, newItems: result.newItems }
}

const checkReasoning = ({ newItems, finalOutput }) => {
  assert.ok(newItems.some(({ type }) => type === "reasoning_item"))
  assert.ok(finalOutput.includes("I remember why."), "the reasoning did not come back")
}

const askAbout = async (file) => {
  const content = [{ type: "input_text", text: "What is this?" }, file]
  return (await run(agent, [{ role: "user", content }])).finalOutput
}

await runFeatures({
  text: async () => {
    assert.equal((await run(agent, "Hello")).finalOutput, "Hello from the scripted model.")
  },
  stream: async () => {
    const { events, finalOutput } = await runStreamed(agent, "Hello")
    assert.equal(finalOutput, "Hello from the scripted model.")
    const deltas = events.filter(({ data }) => data?.type === "output_text_delta")
    assert.ok(deltas.length > 1, "the text did not arrive in pieces")
  },
  tools: async () => {
    const answer = "The tool returned: 21 degrees in Lima"
    assert.equal((await run(agentWithTools, callWeather)).finalOutput, answer)
    assert.equal((await runStreamed(agentWithTools, callWeather)).finalOutput, answer)
  },
  reasoning: async () => {
    checkReasoning(await run(agentWithTools, `Think first. ${callWeather}`))
    checkReasoning(await runStreamed(agentWithTools, `Think first. ${callWeather}`))
  },
  "structured output": async () => {
    const outputType = z.object({ city: z.string(), degrees: z.number() })
    const { finalOutput } = await run(new Agent({ ...settings, outputType }), "Hello")
    assert.deepEqual(finalOutput, { city: "Lima", degrees: 21 })
  },
  images: async () => {
    const image = `data:image/png;base64,${process.env.PIXEL}`
    assert.equal(await askAbout({ type: "input_image", image }), "I see image/png.")
  },
  documents: async () => {
    const file = `data:application/pdf;base64,${process.env.PDF}`
    const part = { type: "input_file", file, filename: "a.pdf" }
    assert.equal(await askAbout(part), "I see application/pdf.")
  },
  errors: async () => {
    const unknown = new Agent({ ...settings, model: "no-such-model" })
    await assert.rejects(run(unknown, "Hello"), ({ status }) => status === 404)
  },
})
