import { once } from "node:events"
import { Worker } from "node:worker_threads"

/** A provider in a separate thread, so that reading large bodies does not slow down the test. */
export interface Sink {
  /** Base URL, ending in /v1. */
  url: string
  stop(): Promise<unknown>
}

export const startSink = async (): Promise<Sink> => {
  const worker = new Worker(new URL("./discarding-provider-thread.ts", import.meta.url))
  const [port] = await once(worker, "message")
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => worker.terminate() }
}
