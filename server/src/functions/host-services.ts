import type { RequestHandle } from "@portico/http1"
import type { ResponseReceiver } from "../connections/response-receiver.ts"
import type { Caller } from "../http/caller.ts"
import type { ReportCost } from "../usage/cost-sum.ts"

/** On whose behalf a function makes a request. */
export interface RequestOrigin {
  caller: Caller
  requestId: string
  /** Ids of the functions that lead to this request, outermost first; limits recursion. */
  callingFunctions: readonly string[]
  /** Called with the cost of each request once it is settled. */
  reportCost?: ReportCost | undefined
}

/** Receives another model's response; exactly one of `onEnd` and `stop` is called last. */
export type ModelResponseReceiver = Pick<ResponseReceiver, "onHead" | "onData" | "onEnd" | "stop">

/**
 * Services of the gateway that functions can use, each with the permissions of the calling user.
 */
export interface HostServices {
  requestModel(
    origin: RequestOrigin,
    request: { kind: "completion" | "embeddings"; fields: Record<string, unknown> },
    receiver: ModelResponseReceiver,
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
