import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { listenOnLoopback } from "../../test/harness/ports.ts"

export const model = "bench-reply"
/** In nano-dollars per token. */
export const prices = { input: 10, output: 1000 }
const tokensIn = 20
const delayMs = { min: 100, max: 400 }

const Body = z.object({ max_tokens: z.number() })

/** Part of its maximum that an answer has. */
const share = { min: 0.5, max: 1 }
/** In nano-dollars. @param maxTokens tokens of the longest answer */
export const expectedCost = (maxTokens: number): number =>
  tokensIn * prices.input + ((share.min + share.max) / 2) * maxTokens * prices.output

const between = ({ min, max }: { min: number; max: number }): number =>
  min + Math.random() * (max - min)

/** A provider that charges each request as soon as it arrives, whether or not anyone waits for it. */
export const startProvider = async () => {
  const totals = { requests: 0, cost: 0 }
  const server = createServer(async (request, response) => {
    response.setHeader("content-type", "application/json")
    if (request.method === "GET") {
      const data = [{ id: model, object: "model", created: 1, owned_by: "bench" }]
      response.end(JSON.stringify({ object: "list", data }))
      return
    }
    const { max_tokens } = Body.parse(await json(request))
    const tokensOut = Math.round(between(share) * max_tokens)
    totals.requests++
    totals.cost += tokensIn * prices.input + tokensOut * prices.output
    await sleep(between(delayMs))
    const message = { role: "assistant", content: "Hello" }
    const usage = {
      ...{ prompt_tokens: tokensIn, completion_tokens: tokensOut },
      total_tokens: tokensIn + tokensOut,
    }
    response.end(
      JSON.stringify({
        ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model, usage },
        choices: [{ index: 0, message, finish_reason: "stop" }],
      }),
    )
  })
  const port = await listenOnLoopback(server)
  return { totals, port, close: () => server.close() }
}
