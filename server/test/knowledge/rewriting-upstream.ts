import {
  eventStreamResponse,
  type FakeResponse,
  formatSseEvent,
  jsonResponse,
  SSE_DONE,
} from "../fakes/responses.ts"
import type { RecordedRequest } from "../fakes/upstream.ts"

const topics = [
  ...["anchors", "bilges", "compasses", "dinghies", "engines", "flares", "galleys", "hulls"],
  ...["islands", "jibs", "keels", "ladders", "masts", "nets", "oars", "pumps", "quays", "ropes"],
  ...["sails", "tillers", "umbrellas", "valves", "winches", "yards"],
]

/** A manual with one chapter per topic, far longer than the context budget. */
export const manual = topics
  .map((topic, at) => {
    const text = `This chapter is about ${topic}. Check the ${topic} before each voyage. `
    const code = `The code of the ${topic} is ${topic.toUpperCase()}-${at}7. `
    return `# Chapter ${at + 1}\n\n${text.repeat(20)}${code}${text.repeat(20)}`
  })
  .join("\n\n")

const usage = { prompt_tokens: 70, completion_tokens: 30, total_tokens: 100 }

export const streamed = (content: string, delayMs = 0): FakeResponse => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    formatSseEvent({ id: "c", choices: [{ index: 0, delta: { ...delta }, finish_reason }] })
  const pieces = content.match(/[\s\S]{1,4000}/g) ?? []
  const frames = [
    ...pieces.map((piece) => chunk({ content: piece })),
    chunk({}, "stop"),
    formatSseEvent({ id: "c", choices: [], usage }),
    SSE_DONE,
  ]
  return eventStreamResponse(frames, delayMs)
}

export const whole = (content: string): FakeResponse =>
  jsonResponse(200, {
    ...{ id: "c", object: "chat.completion", usage },
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  })

/** Whether a request asks to rewrite a question. */
export const isRewriting = ({ body }: RecordedRequest): boolean =>
  body.includes("You rewrite questions")
