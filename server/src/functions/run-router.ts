import { toSinglePage } from "../http/pagination.ts"
import type { Router } from "../http/router.ts"
import type { Functions } from "./functions.ts"
import { functionRunRoutes } from "./run-routes.ts"
import type { RunStore } from "./run-store.ts"
import type { TestRuns } from "./test-run.ts"

interface Deps {
  router: Router
  functions: Functions
  runs: RunStore
  testRuns: TestRuns
}

const heartbeatMs = 15_000

/** A response of server-sent events that ends when `work` settles. */
const streamEvents = (
  work: (emit: (name: string, data: unknown) => void, signal: AbortSignal) => Promise<void>,
): Response => {
  const disconnected = new AbortController()
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const send = (text: string): void => {
        if (!disconnected.signal.aborted) controller.enqueue(encoder.encode(text))
      }
      const heartbeat = setInterval(() => send(":\n\n"), heartbeatMs)
      await work(
        (name, data) => send(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
        disconnected.signal,
      )
      clearInterval(heartbeat)
      if (!disconnected.signal.aborted) controller.close()
    },
    cancel: () => disconnected.abort(),
  })
  const headers = { "content-type": "text/event-stream", "cache-control": "private, no-store" }
  return new Response(stream, { headers })
}

/** Routes for test runs and the history of runs. */
export const createFunctionRunRouter = ({ router, functions, runs, testRuns }: Deps): Router => {
  router.on(functionRunRoutes.list, async ({ params }) => {
    await functions.known(params.id)
    return toSinglePage(await runs.list(params.id))
  })
  router.on(functionRunRoutes.run, async ({ caller, params, body }) => {
    const prepared = await testRuns.prepare(params.id, body)
    return streamEvents((emit, signal) => testRuns.run(prepared, { caller, emit, signal }))
  })
  return router
}
