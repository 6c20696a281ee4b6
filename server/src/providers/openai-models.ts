import { type Fields, isObject, textOf } from "../formats/json-values.ts"

// What the names of OpenAI's models say about their reasoning, as its list of models says nothing.
// Chat completions do not accept every effort, and with the newer models none together with tools.

const reasoningSeries = /(^|[./:-])(o[1-9]|gpt-[5-9])/
const reasoningByDefault = /(^|\/)gpt-5\.[5-9]/

export const isReasoningModel = (name: string): boolean =>
  reasoningSeries.test(name) && !name.includes("-chat")

const hasTools = ({ tools }: Fields): boolean => Array.isArray(tools) && tools.length > 0

/** Whether a model accepts the effort of a canonical prompt. Older ones reject "none". */
export const acceptsEffort = (name: string, request: Fields): boolean => {
  const { thinking } = request
  const isOff = isObject(thinking) && thinking.type === "disabled"
  return isReasoningModel(name) && !hasTools(request) && !isOff
}

/** Lets GPT-5.5 and later, which reason unless it is turned off, accept tools. */
export const turnOffReasoningForTools = (request: Fields): Fields =>
  reasoningByDefault.test(textOf(request.model)) && hasTools(request)
    ? { ...request, reasoning_effort: "none" }
    : request
