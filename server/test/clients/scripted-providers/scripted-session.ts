import { type JsonObject, listOf, objectOf } from "../../fakes/json.ts"
import { partsOf, textsOf } from "./content-parts.ts"
import { createChatAnswer } from "./scripted-chat.ts"
import type { ScriptedAnswer, ScriptedCall, ScriptedPrompt } from "./scripted-model.ts"

/** How often the model calls a tool before it answers. */
export const callsPerSession = 20

const command = "cat note.txt"

/** The client's tools that the model knows how to call, by their names. */
const inputs: Record<string, JsonObject> = {
  Bash: { command, description: "Read a note" },
  exec_command: { cmd: command },
  // Takes code instead of JSON: the model puts it into a parameter of another name.
  functions__exec: {
    code: `const result = await tools.exec_command({ cmd: "${command}" })\ntext(result.output)`,
  },
}

const resultsIn = (body: JsonObject): string[] =>
  listOf(body.messages)
    .map(objectOf)
    .filter(({ role }) => role === "tool")
    .map(({ content }) => textsOf(partsOf(content)))

const createCall = ({ tools }: ScriptedPrompt, calls: number): ScriptedCall | null => {
  const id = `call_${calls}`
  if (calls >= callsPerSession) return null
  if (calls === 0 && tools.includes("ToolSearch"))
    return { id, name: "ToolSearch", input: { query: "select:WebFetch", max_results: 1 } }
  const name = tools.find((tool) => Object.hasOwn(inputs, tool))
  const input = name === undefined ? undefined : inputs[name]
  return name !== undefined && input ? { id, name, input } : null
}

const generateTurn = (prompt: ScriptedPrompt, body: JsonObject): ScriptedAnswer => {
  const results = resultsIn(body)
  const call = createCall(prompt, results.length)
  const text = call
    ? "Let me look again."
    : `${results.length} results, the last one: ${results.at(-1)}`
  return { reasoning: "", text, call }
}

/** POST /v1/chat/completions of a model that calls tools in many turns of one session. */
export const answerSessionRequest = createChatAnswer(generateTurn)
