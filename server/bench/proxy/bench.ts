import type { ChildProcess } from "node:child_process"
import { mkdirSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { z } from "zod"
import { waitForModels } from "../../test/models/wait-for-models.ts"
import { createUserKey, type GatewayDeps, startGateway } from "../measure/gateway.ts"
import { nextMessage, type Processes } from "../measure/processes.ts"
import { createBenchLimits } from "./bench-limits.ts"
import { type Job, Result } from "./job.ts"
import { startNginx } from "./nginx.ts"
import type { Options } from "./options.ts"
import { slowBytes } from "./responses.ts"

/** A measured server: the gateway, nginx, the bare relay, or the mock upstream itself. */
export type Server = {
  name: string
  child: ChildProcess
  pid: number
  port: number
  streamPort: number
  key: string
}

/** The inbound API that the load uses. */
export type Api = "chat" | "messages" | "responses"

export type Shape = {
  model: string
  stream: boolean
  promptBytes: number
  connections: number
  /** `chat` if omitted. */
  api?: Api
}

const Answer = z.union([z.object({ result: Result }), z.object({ error: z.string() })])

/** The gateway with limits. */
export const limitedName = "with limits"

export const slowModel = "bench-slow"

const paths: Record<Api, string> = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
}

/** What a complete response contains at its end. */
const lastParts: Record<Api, string> = {
  chat: "data: [DONE]\n\n",
  messages: 'data: {"type":"message_stop"}\n\n',
  responses: "event: response.completed",
}

const bodyOf = ({ model, stream, promptBytes, api = "chat" }: Shape) => {
  const sentence = "Say in one sentence what a gateway is for. "
  const content = sentence.repeat(Math.ceil(promptBytes / sentence.length)).slice(0, promptBytes)
  const messages = [
    { role: "system", content: "You are a helpful assistant." },
    { role: "user", content },
  ]
  const common = { model, temperature: 0.7, ...(stream ? { stream } : {}) }
  const [system, user] = messages
  const bodies: Record<Api, object> = {
    chat: { ...common, messages },
    messages: { ...common, max_tokens: 100, system: system?.content, messages: [user] },
    responses: { ...common, store: false, input: messages },
  }
  return JSON.stringify(bodies[api])
}

/** The name of the checkout that a server/src/main.ts belongs to. */
const checkoutOf = (main: string) => basename(resolve(main, "../../.."))

/** Starts the mock upstream and the load driver. */
export const startBench = async (processes: Processes, folder: string, options: Options) => {
  const upstream = await processes.startServer("upstream", "proxy/upstream.ts")
  const driver = processes.startNode("driver", "proxy/driver.ts")
  let folders = 0
  const newFolder = (name: string) => {
    folders += 1
    const path = join(folder, `${name}-${folders}`)
    mkdirSync(path)
    return path
  }
  const gatewayDeps = (main = options.main): GatewayDeps => ({
    processes,
    folder: newFolder("gateway"),
    cacheFolder: join(folder, "compile-cache"),
    upstreamPort: upstream.port,
    main,
    nodeOptions: options.nodeOptions,
    env: {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${upstream.port}`,
      ANTHROPIC_API_KEY: "sk-upstream",
    },
  })

  const plain = (name: string, started: { child: ChildProcess; pid: number; port: number }) => ({
    ...started,
    name,
    streamPort: started.port,
    key: "sk-bench",
  })

  /** Starts the gateway twice: the first start installs Guide, which is not measured. */
  const gateway = async (name: string, main: string, isLimited = false): Promise<Server> => {
    const deps = gatewayDeps(main)
    const first = await startGateway({ ...deps, nodeOptions: [] })
    const key = await createUserKey(first)
    if (isLimited) await createBenchLimits(first.url, "bench-reply")
    await processes.stop(first.child)
    const started = await startGateway(deps)
    await waitForModels({ url: started.url, key }, ["bench-reply"])
    return { ...plain(name, started), key }
  }

  const nginx = async (): Promise<Server | undefined> => {
    const started = await startNginx(processes, newFolder("nginx"), upstream.port)
    return started && { ...started, name: "nginx", key: "sk-bench" }
  }

  const bare = async (): Promise<Server> =>
    plain(
      "bare Node",
      await processes.startServer("measured", "proxy/bare-relay.ts", [`${upstream.port}`]),
    )

  const check = async (server: Server, shape: Shape): Promise<number> => {
    const port = shape.stream ? server.streamPort : server.port
    const { api = "chat" } = shape
    const response = await fetch(`http://127.0.0.1:${port}${paths[api]}`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
      body: bodyOf(shape),
    })
    const text = await response.text()
    const whole = shape.stream ? text.includes(lastParts[api]) : text.includes('"finish_reason"')
    if (response.ok && whole) return Buffer.byteLength(text)
    throw new Error(`${server.name} returned ${response.status}: ${text.slice(0, 500)}`)
  }

  return {
    direct: plain("mock itself", upstream),
    gatewayNeeds: gatewayDeps,

    /** Runs the work with freshly started servers, then stops them. */
    withServers: async <T>(work: (servers: readonly Server[]) => Promise<T>): Promise<T> => {
      const floor = await nginx()
      const compared: Server[] = []
      for (const main of options.compared) compared.push(await gateway(checkoutOf(main), main))
      const servers = [
        await gateway("gateway", options.main),
        ...(options.limits ? [await gateway(limitedName, options.main, true)] : []),
        ...compared,
        ...(floor ? [floor] : []),
        ...(options.bare ? [await bare()] : []),
      ]
      const result = await work(servers)
      for (const { child } of servers) await processes.stop(child)
      return result
    },

    /** Checks one response, then lets the driver generate load; its responses must have that length. */
    load: async (
      server: Server,
      shape: Shape,
      how: Pick<Job, "mode" | "rate" | "seconds">,
    ): Promise<Result> => {
      const job: Job = {
        ...how,
        path: paths[shape.api ?? "chat"],
        port: shape.stream ? server.streamPort : server.port,
        body: bodyOf(shape),
        key: server.key,
        connections: shape.connections,
        bytes: shape.model === slowModel ? slowBytes : await check(server, shape),
        pid: server.pid,
        upstreamPid: upstream.pid,
      }
      driver.send(job)
      const answer = Answer.parse(await nextMessage(driver))
      if ("error" in answer) throw new Error(`driver: ${answer.error}`)
      return answer.result
    },
  }
}
export type Bench = Awaited<ReturnType<typeof startBench>>
