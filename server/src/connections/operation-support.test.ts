import type { Transport } from "@portico/http1"
import { describe, expect, it } from "vitest"
import { openai } from "../providers/openai.ts"
import { createOperationSupport } from "./operation-support.ts"

const responses = {
  name: "responses",
  api: "openai",
  isChatCompletion: false,
  isOptional: true,
} as const
const chat = {
  name: "chat/completions",
  api: "openai",
  isChatCompletion: true,
  isOptional: false,
} as const

/** A server that refuses the empty request with this status, and a clock. */
const createServer = (status: number) => {
  const state = { status, requests: 0, now: 1000, delayMs: 0 }
  const transport: Pick<Transport, "send"> = {
    send: (_request, { onHead, onEnd }) => {
      state.requests++
      setTimeout(() => {
        onHead(state.status, [])
        onEnd()
      }, state.delayMs)
      return { resume: () => {}, cancel: () => {}, failAsStalled: () => {} }
    },
  }
  const support = createOperationSupport({
    ...{ provider: openai, transport, headers: {}, now: () => state.now },
  })
  const hasResponses = async (): Promise<boolean> => {
    await support.checkOperation(responses)
    return support.hasOperation(responses)
  }
  return { state, support, hasResponses }
}

describe("what is known about a server's API", () => {
  it("is found out again after ten minutes", async () => {
    const { state, hasResponses } = createServer(404)
    expect(await hasResponses()).toBe(false)
    state.status = 400
    state.now += 599
    expect([await hasResponses(), state.requests]).toEqual([false, 1])
    state.now += 1
    expect([await hasResponses(), state.requests]).toEqual([true, 2])
  })

  it.each([429, 500, 502, 503, 504])("is not concluded from status %d", async (status) => {
    const { state, hasResponses } = createServer(status)
    expect(await hasResponses()).toBe(true)
    state.status = 405
    expect([await hasResponses(), state.requests]).toEqual([false, 2])
  })

  it("is not asked for again at once if the server is slow to say nothing", async () => {
    const { state, hasResponses } = createServer(503)
    state.delayMs = 1100
    expect(await hasResponses()).toBe(true)
    state.status = 405
    expect([await hasResponses(), state.requests]).toEqual([true, 1])
    state.now += 30
    expect([await hasResponses(), state.requests]).toEqual([false, 2])
  })

  it("needs no request for an operation that every server has", async () => {
    const { state, support } = createServer(404)
    expect(support.checkOperation(chat)).toBeUndefined()
    expect([support.hasOperation(chat), state.requests]).toEqual([true, 0])
  })

  it("needs no request for an operation of another API", async () => {
    const { state, support } = createServer(404)
    expect(support.checkOperation({ ...responses, api: "anthropic" })).toBeUndefined()
    expect(state.requests).toBe(0)
  })
})
