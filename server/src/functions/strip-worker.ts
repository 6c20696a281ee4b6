import { parentPort, workerData } from "node:worker_threads"
import amaro from "amaro"
import { z } from "zod"

const Told = z.object({
  message: z.string(),
  startLine: z.number().optional(),
  startColumn: z.number().optional(),
})

const strip = (source: string) => {
  try {
    return { code: amaro.transformSync(source, { mode: "strip-only" }).code }
  } catch (error) {
    const { data } = Told.safeParse(error)
    const message = data?.message ?? "The source cannot be read"
    const column = data?.startColumn === undefined ? null : data.startColumn + 1
    return { problem: { message, line: data?.startLine ?? null, column } }
  }
}

parentPort?.postMessage(strip(String(workerData)))
