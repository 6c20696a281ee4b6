import type { JsonObject } from "../../fakes/json.ts"

/** What the scripted model reads of a request, in whichever format it came. */
export interface ScriptedPrompt {
  model: string
  isStreamed: boolean
  /** Texts of the user since the model's last answer. */
  text: string
  /** Media types of images and documents since the model's last answer. */
  mediaTypes: string[]
  /** Results of tools since the model's last answer. */
  toolResults: string[]
  /** Names of the tools that the model may call. */
  tools: string[]
  /** Whether the model must call a tool; then it calls the first. */
  mustCallTool: boolean
  hasSchema: boolean
  /** Whether reasoning of the model came back as the provider needs it. */
  hasReasoning: boolean
}

export interface ScriptedCall {
  /** For a model that calls several tools in one conversation. */
  id?: string
  name: string
  input: JsonObject
}

export interface ScriptedAnswer {
  /** Empty if the model does not reason. */
  reasoning: string
  text: string
  call: ScriptedCall | null
}

/** What a prompt contains to make the model reason. */
export const thinkFirst = "Think first."
export const reasoningText = "The user wants an answer."
/** Part of the answer if the model's reasoning came back with the result of a tool. */
export const reasoningReturned = "I remember why."
/** The answer to a request for structured output. */
export const structuredAnswer = { city: "Lima", degrees: 21 }
/** The JSON schema that it matches. */
export const structuredSchema = {
  type: "object" as const,
  properties: { city: { type: "string" as const }, degrees: { type: "number" as const } },
  required: ["city", "degrees"],
  additionalProperties: false as const,
}
export const plainAnswer = "Hello from the scripted model."

/** What a prompt contains to make the model call a tool. */
export const createCallPrompt = (name: string, input: JsonObject): string =>
  `Call ${name} with ${JSON.stringify(input)}`

const findCall = (prompt: ScriptedPrompt): ScriptedCall | null => {
  const { text, tools, toolResults, mustCallTool } = prompt
  const [first] = tools
  if (mustCallTool && first) return { name: first, input: structuredAnswer }
  const [, name = "", input = ""] = /Call (\w+) with (\{.*\})/.exec(text) ?? []
  if (toolResults.length > 0 || !tools.includes(name)) return null
  return { name, input: JSON.parse(input) }
}

const createText = (prompt: ScriptedPrompt): string => {
  const { mediaTypes, toolResults, hasSchema, hasReasoning } = prompt
  const sentences = [
    mediaTypes.length > 0 ? `I see ${mediaTypes.join(" and ")}.` : "",
    toolResults.length > 0 ? `The tool returned: ${toolResults.join(" and ")}` : "",
    toolResults.length > 0 && hasReasoning ? reasoningReturned : "",
  ].filter(Boolean)
  if (sentences.length > 0) return sentences.join(" ")
  return hasSchema ? JSON.stringify(structuredAnswer) : plainAnswer
}

/** Answers as the prompt says: with a call of a tool, or with a text about what was received. */
export const generateScriptedAnswer = (prompt: ScriptedPrompt): ScriptedAnswer => {
  const call = findCall(prompt)
  return {
    reasoning: prompt.text.includes(thinkFirst) ? reasoningText : "",
    text: call ? "Let me look." : createText(prompt),
    call,
  }
}

/** Splits a text into the pieces in which it is streamed. */
export const splitIntoWords = (text: string): string[] => text.match(/\s*\S+\s*/g) ?? []

/** The media type of a `data:` URL; what else stands there is shown. */
export const mediaTypeOf = (url: string): string => /^data:([^;,]+);base64,./.exec(url)?.[1] ?? url
