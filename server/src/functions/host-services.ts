import type { RequestHandle } from "@portico/http1"
import type { Failure } from "../errors.ts"
import type { Caller } from "../http/caller.ts"

/** On whose behalf a function makes a request. */
export interface RequestOrigin {
  caller: Caller
  requestId: string
  /** Ids of the functions that lead to this request, outermost first; limits recursion. */
  above: readonly string[]
}

/** Receives another model's response; exactly one of `end` and `failed` is called last. */
export interface ModelResponseHandler {
  start(streamed: boolean): void
  /** @returns false to pause the response until `resume` */
  data(chunk: Buffer): boolean
  end(): void
  failed(failure: Failure): void
}

/**
 * Services of the gateway that functions can use, each with the permissions of the calling user.
 */
export interface HostServices {
  requestModel(
    origin: RequestOrigin,
    request: { kind: "completion" | "embeddings"; fields: Record<string, unknown> },
    handler: ModelResponseHandler,
  ): RequestHandle
  search(
    caller: Caller,
    request: { collections: string[]; query: string; limit: number; signal: AbortSignal },
  ): Promise<unknown>
  files: {
    list(caller: Caller): Promise<unknown>
    text(caller: Caller, id: string): Promise<string>
  }
}
