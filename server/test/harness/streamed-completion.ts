import type { TestGateway } from "./gateway.ts"

/** A streamed chat completion that runs for `seconds` unless it is ended early. */
export interface StreamedCompletion {
  status: number
  /** Everything received, once the stream has ended. */
  body: Promise<string>
  /** The time by `performance.now()` at which the stream ended, in milliseconds. */
  endedAt: Promise<number>
}

/** Starts a streamed completion from the fake provider; resolves when its first bytes arrive. */
export const startStreamedCompletion = async (
  { url }: Pick<TestGateway, "url">,
  { key, seconds = 10, model = "gpt-fake" }: { key: string; seconds?: number; model?: string },
): Promise<StreamedCompletion> => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model,
      stream: true,
      messages: [{ role: "user", content: "Count" }],
      metadata: { fake_chunks: seconds * 20, fake_delay_ms: 50 },
    }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader?.read())?.value ?? ""
  const readRest = async (): Promise<string> => {
    for (;;) {
      const piece = await reader?.read()
      if (piece?.value === undefined) return text
      text += piece.value
    }
  }
  const body = readRest()
  return { status: response.status, body, endedAt: body.then(() => performance.now()) }
}
