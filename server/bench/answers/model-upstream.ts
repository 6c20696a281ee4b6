import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { z } from "zod"
import { listenOnLoopback } from "../../test/harness/ports.ts"
import { findRewrite, type Rewrites } from "./rewrites.ts"

/** Answers every chat; its prompts are kept. */
export const chatModel = "bench-chat"
/** Replays recorded rewrites. */
export const rewritingModel = "bench-rewriter"

const Completion = z.object({
  model: z.string(),
  messages: z.array(z.object({ content: z.string() })),
})

const completionOf = (model: string, content: string): string =>
  JSON.stringify({
    id: "bench",
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })

/** An OpenAI-style provider that keeps prompts and replays recorded rewrites. */
export const startModelUpstream = async (rewrites: Rewrites) => {
  let lastPrompt = ""

  const answer = async (request: IncomingMessage): Promise<string> => {
    if (request.method === "GET") {
      return JSON.stringify({ data: [chatModel, rewritingModel].map((id) => ({ id })) })
    }
    const { model, messages } = Completion.parse(JSON.parse(await text(request)))
    const contents = messages.map(({ content }) => content)
    if (model === rewritingModel) {
      return completionOf(model, JSON.stringify(findRewrite(rewrites, contents.at(-1) ?? "") ?? {}))
    }
    lastPrompt = contents.join("\n\n")
    return completionOf(model, "OK")
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.writeHead(200, { "content-type": "application/json" }).end(body),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  const port = await listenOnLoopback(server)

  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** All messages of the last chat, as text. */
    lastPrompt: () => lastPrompt,
    stop: () => void server.close(),
  }
}

export type ModelUpstream = Awaited<ReturnType<typeof startModelUpstream>>
