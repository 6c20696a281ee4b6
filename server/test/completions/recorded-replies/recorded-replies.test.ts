import { createServer, type Server } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../../harness/gateway.ts"
import { listenOnLoopback } from "../../harness/ports.ts"
import { amount } from "../../harness/short-and-long-form.ts"
import { httpVariants } from "../../harness/transports.ts"
import { waitForModels } from "../../models/wait-for-models.ts"
import { consumers, installConsumers, models } from "./consumers.ts"
import {
  type RecordedReply,
  recordedReplies,
  type Splitting,
  sendRecordedReply,
} from "./replies.ts"

describe.each(httpVariants)("over %s", (name, env) => {
  /*
   * Pins what every consumer makes of every reply, byte for byte, however the reply is split. After
   * an intended change, update the golden files with `npm test -- --update` and read their diff.
   */

  let provider: Server
  let gateway: TestGateway
  let current: { reply: RecordedReply; splitting: Splitting } | null = null

  beforeAll(async () => {
    provider = createServer((request, response) => {
      request.resume()
      request.on("end", () => {
        if (request.method === "GET" || !current) {
          const data = models.map((id) => ({ id, object: "model" }))
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({ object: "list", data }))
        } else void sendRecordedReply(response, current.reply, current.splitting)
      })
    })
    const origin = `http://127.0.0.1:${await listenOnLoopback(provider)}`
    gateway = await startGateway({ ...env, OPENAI_API_BASE_URLS: `${origin}/v1` })
    await gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
    await waitForModels(gateway, [...models])
    await installConsumers(gateway)
  })
  afterAll(async () => {
    await gateway.stop()
    provider.closeAllConnections()
    provider.close()
  })

  /** Replaces what the gateway makes up anew for each reply. */
  const normalize = (text: string): string =>
    text
      .replace(/127\.0\.0\.1:\d+/g, "HOST")
      .replace(/chatcmpl-[0-9a-f]{8}-[0-9a-f-]{27}/g, "chatcmpl-NEW")
      .replace(/"created":1[78]\d{8}/g, (found) =>
        found.endsWith("1741569952") ? found : '"created":NOW',
      )

  const consume = async (reply: RecordedReply, splitting: Splitting): Promise<string> => {
    current = { reply, splitting }
    const sections: string[] = []
    for (const [name, consume] of Object.entries(consumers)) {
      sections.push(`## ${name}\n${await consume(gateway, reply.streamed)}\n`)
    }
    return normalize(sections.join("\n"))
  }

  const step = name === "our HTTP" ? 1 : amount(4, 1)
  const replies = recordedReplies.filter((_, at) => at % step === 0)

  describe.each(replies)("the reply $name", (reply) => {
    it("reaches every consumer as recorded", async () => {
      const golden = join(import.meta.dirname, "golden", `${reply.name}.txt`)
      await expect(await consume(reply, "in one piece")).toMatchFileSnapshot(golden)
    })

    it("reaches every consumer in the same way in small pieces", async () => {
      const golden = join(import.meta.dirname, "golden", `${reply.name}.txt`)
      await expect(await consume(reply, "in small pieces")).toMatchFileSnapshot(golden)
    })
  })
})
