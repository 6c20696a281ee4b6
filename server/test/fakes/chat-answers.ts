import type { JsonObject } from "./json.ts"
import { formatSseEvent, SSE_DONE } from "./responses.ts"
import type { FakeUpstream } from "./upstream.ts"

/** Creates functions that replace the next chat completion of a fake provider. */
export const createChatAnswers = (upstream: FakeUpstream, model: string) => ({
  /** The next chat completion has this message, and these members of its own. */
  answerWith: (message: JsonObject, finish_reason = "stop", more: JsonObject = {}): void => {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }]
    const body = { id: "chatcmpl-1", object: "chat.completion", model, choices, ...more }
    upstream.injectFault({ kind: "reply", body: JSON.stringify(body) }, { on: /completions/ })
  },

  /** The next stream has these deltas, and ends as a complete one does. */
  streamDeltas: (deltas: readonly JsonObject[], finish_reason = "stop"): void => {
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
  },
})
