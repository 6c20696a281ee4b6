import type { AttemptTarget } from "../../connections/attempt-target.ts"
import type { TokenCounts } from "../../usage/token-counts.ts"
import type { UsageRecorder } from "../../usage/usage-recorder.ts"
import { findUsage, UsageTail } from "./body-usage.ts"
import { countStreamTokens } from "./count-stream-tokens.ts"
import type { ResponseResult, StreamScanner } from "./response-consumer.ts"

type End = Pick<ResponseResult, "outcome" | "status">

/** Finds a response's token counts, in its stream or in its body, and records its usage. */
export class ResponseUsage {
  readonly #scanner: StreamScanner
  /** Null before the request is admitted, and if no usage is recorded. */
  #recorder: UsageRecorder | null = null
  /** Of a body that is passed on as it arrives. */
  readonly #bodyTail = new UsageTail()
  #bodyTokens: TokenCounts | null = null

  constructor(scanner: StreamScanner) {
    this.#scanner = scanner
  }

  /** @param recorder null if no usage is recorded */
  begin(recorder: UsageRecorder | null): void {
    this.#recorder = recorder
  }

  setTarget(target: AttemptTarget, requestsSent: number): void {
    this.#recorder?.setTarget(target, requestsSent)
  }

  markFirstToken(): void {
    this.#recorder?.markFirstToken()
  }

  readBody(body: Buffer): void {
    this.#bodyTokens = findUsage(body)
  }

  readBodyChunk(chunk: Buffer): void {
    this.#bodyTail.push(chunk)
  }

  /** Only the counts of a complete body are final. */
  endBodyChunks(): void {
    this.#bodyTokens = this.#bodyTail.tokens
  }

  settle({ outcome, status }: End): Pick<ResponseResult, "tokens" | "chunks"> {
    const stream = countStreamTokens(this.#scanner, outcome)
    if (!this.#bodyTokens && stream.isEstimate) this.#recorder?.markEstimated()
    const tokens = this.#bodyTokens ?? stream.tokens
    const { eventCount: chunks, startTokens } = this.#scanner
    if (startTokens) this.#recorder?.reportTokens(startTokens)
    this.#recorder?.settle({ outcome, status, tokens, chunksOut: chunks })
    return { tokens, chunks }
  }

  /** Settles a request whose response does not count. */
  settleWithoutTokens(end: End): void {
    this.#recorder?.settle({ ...end, tokens: null, chunksOut: 0 })
  }
}
