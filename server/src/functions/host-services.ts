import type { Failure } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { Flow } from "../outbound/client.ts"

/** On whose behalf a function asks for something. */
export interface Asker {
  caller: Caller
  requestId: string
  /** The functions that stand above what is asked for, the outermost first. */
  above: readonly string[]
}

/** Hears another model's reply; exactly one of `end` and `failed` comes last. */
export interface ReplyHears {
  begins(streamed: boolean): void
  /** @returns false to be given no more until `resume` */
  data(chunk: Buffer): boolean
  end(): void
  failed(failure: Failure): void
}

/** What functions can have done by the rest of the gateway; each as the user who asks. */
export interface Abilities {
  ask(
    asker: Asker,
    asked: { operation: "chat/completions" | "embeddings"; fields: Record<string, unknown> },
    hears: ReplyHears,
  ): Flow
  search(
    caller: Caller,
    asked: { collections: string[]; query: string; limit: number; signal: AbortSignal },
  ): Promise<unknown>
  files: {
    list(caller: Caller): Promise<unknown>
    text(caller: Caller, id: string): Promise<string>
  }
}
