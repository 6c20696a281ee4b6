import type { TestGateway } from "./gateway.ts"

/** A streamed chat that runs for `seconds` unless somebody ends it. */
export interface Running {
  status: number
  /** All that came, once it is over. */
  whole: Promise<string>
  /** Milliseconds from `performance.now()`, once it is over. */
  endedAt: Promise<number>
}

/** Starts a stream of the fake's and resolves when its first bytes are here. */
export const startStream = async (
  { url }: Pick<TestGateway, "url">,
  { key, seconds = 10, model = "gpt-fake" }: { key: string; seconds?: number; model?: string },
): Promise<Running> => {
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
  const rest = async (): Promise<string> => {
    for (;;) {
      const piece = await reader?.read()
      if (piece?.value === undefined) return text
      text += piece.value
    }
  }
  const whole = rest()
  return { status: response.status, whole, endedAt: whole.then(() => performance.now()) }
}
