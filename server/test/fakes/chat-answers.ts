import type { JsonObject } from "./json.ts"
import { formatSseEvent, SSE_DONE } from "./responses.ts"
import type { FakeUpstream } from "./upstream.ts"

/** An answer that can be sent whole, or in a stream. */
interface ScriptedAnswer {
  message: JsonObject
  calls?: readonly JsonObject[]
  reason?: string
}

/** Creates functions that replace the next chat completion of a fake provider. */
export const createChatAnswers = (upstream: FakeUpstream, model: string) => {
  /** The next chat completion has this message, and these members of its own. */
  const answerWith = (message: JsonObject, finish_reason = "stop", more: JsonObject = {}): void => {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }]
    const body = { id: "chatcmpl-1", object: "chat.completion", model, choices, ...more }
    upstream.injectFault({ kind: "reply", body: JSON.stringify(body) }, { on: /completions/ })
  }

  /** The next stream has these deltas, and ends as a complete one does. */
  const streamDeltas = (deltas: readonly JsonObject[], finish_reason = "stop"): void => {
    const choices = [
      ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
      { index: 0, delta: {}, finish_reason },
    ]
    const chunks = choices.map((choice) =>
      formatSseEvent({ id: "chatcmpl-1", model, choices: [choice] }),
    )
    const headers = { "content-type": "text/event-stream" }
    const body = chunks.join("") + SSE_DONE
    upstream.injectFault({ kind: "reply", headers, body }, { on: /completions/ })
  }

  return {
    answerWith,
    streamDeltas,

    /** The next answer, whole or in a stream: its text, its calls, and its other members. */
    answer: (
      streamed: boolean,
      { message, calls = [], reason = calls.length > 0 ? "tool_calls" : "stop" }: ScriptedAnswer,
    ): void => {
      if (!streamed) {
        const called = calls.length > 0 ? { tool_calls: [...calls] } : {}
        answerWith({ ...message, ...called }, reason)
        return
      }
      const { content = null, ...members } = message
      const deltas = calls.map((call, index) => ({ tool_calls: [{ index, ...call }] }))
      streamDeltas([{ content }, ...deltas, { content: "", ...members }], reason)
    },

    /** The next response has this body. */
    replyWith: (body: string, headers: Record<string, string> = {}): void =>
      upstream.injectFault({ kind: "reply", body, headers }, { on: /completions/ }),
  }
}
