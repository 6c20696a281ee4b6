import { type Fields, isObject, objectOf, objectsIn, textOf } from "./json-values.ts"
import { decodeGatewayContent, encodeGatewayContent, isGatewayContent } from "./opaque-content.ts"
import { mergeState, stateOfCall, stateOfMessage } from "./provider-state-members.ts"

/**
 * What a provider of chat completions adds to a message and its tool calls, and needs back with them,
 * such as signatures. Other formats have no place for it: it travels as encrypted reasoning, whose
 * content begins with `portico.`, and returns only to the model that it came from.
 */
interface ProviderState {
  type: "provider_state"
  origin: string
  message?: Fields
  /** By the ids of the calls. */
  calls?: Fields
}

/** Larger states are left out, as they would return with each request. */
const maxStateLength = 1024 * 1024

/** Whether the data of encrypted reasoning is a state, which only the gateway can read. */
export const isProviderState = (data: unknown): boolean => isGatewayContent(textOf(data))

/** Collects the state of one answer. */
export class StateCollector {
  #message: Fields = {}
  #calls: Fields = {}

  addMessage(message: Fields): void {
    const state = stateOfMessage(message)
    if (state) mergeState(this.#message, state)
  }

  addCall(id: string, call: Fields): void {
    const state = stateOfCall(call)
    if (state) mergeState(this.#calls, { [id]: state })
  }

  /** What was collected since the last time, as the data of encrypted reasoning; "" if nothing was. */
  take(origin: string): string {
    const message = this.#message
    const calls = this.#calls
    const hasMessage = Object.keys(message).length > 0
    const hasCalls = Object.keys(calls).length > 0
    if (!(hasMessage || hasCalls)) return ""
    this.#message = {}
    this.#calls = {}
    const members = { ...(hasMessage && { message }), ...(hasCalls && { calls }) }
    const data = encodeGatewayContent({ type: "provider_state", origin, ...members })
    return data.length > maxStateLength ? "" : data
  }
}

/** Null if it is no state of this model. Clients may have changed it. */
const readState = ({ data }: Fields, origin: string): ProviderState | null => {
  const text = textOf(data)
  if (text.length > maxStateLength) return null
  const { type, origin: from, message, calls } = decodeGatewayContent(text) ?? {}
  if (type !== "provider_state" || from !== origin) return null
  return {
    ...{ type, origin },
    ...(isObject(message) && { message }),
    ...(isObject(calls) && { calls }),
  }
}

const restoreCall = (call: Fields, states: Fields): Fields => {
  const state = Object.hasOwn(states, textOf(call.id)) ? states[textOf(call.id)] : null
  const { function: inner, ...own } = (isObject(state) && stateOfCall(state)) || {}
  const called = objectOf(call.function)
  return { ...own, ...call, function: { ...(isObject(inner) && inner), ...called } }
}

/**
 * Returns to a message what the model that gets it had added, in place of the details of reasoning
 * that only other models can read.
 * @param origin the model's; see `originKeyOf`
 * @param report called if something else is left out
 */
export const restoreProviderState = (
  message: Fields,
  origin: string | null,
  report: () => void,
): Fields => {
  if (!("reasoning_details" in message)) return message
  const { reasoning_details, ...plain } = message
  const details = objectsIn(reasoning_details)
  const states = origin === null ? [] : details.flatMap((one) => readState(one, origin) ?? [])
  if (states.length < details.length) report()
  if (states.length === 0) return plain
  const added: Fields = {}
  const calls: Fields = {}
  for (const state of states) {
    mergeState(added, stateOfMessage(state.message ?? {}) ?? {})
    mergeState(calls, state.calls ?? {})
  }
  if (!Array.isArray(plain.tool_calls)) return { ...added, ...plain }
  const tool_calls = objectsIn(plain.tool_calls).map((call) => restoreCall(call, calls))
  return { ...added, ...plain, tool_calls }
}
