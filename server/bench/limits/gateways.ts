import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { adminKey, type Gateway, startGateway } from "../measure/gateway.ts"
import type { Processes } from "../measure/processes.ts"

interface Deps {
  processes: Processes
  folder: string
  upstreamPort: number
  env: Readonly<Record<string, string>>
}

/** Gateways that share a database, each with a folder of its own. */
export const createGateways = ({ processes, folder, upstreamPort, env }: Deps) => {
  const live = new Map<number, Gateway>()

  const start = async (index: number): Promise<Gateway> => {
    const ownFolder = join(folder, `${index}`)
    mkdirSync(ownFolder, { recursive: true })
    const gateway = await startGateway({
      ...{ processes, folder: ownFolder, upstreamPort, env, place: "anywhere", nodeOptions: [] },
      cacheFolder: join(folder, "cache"),
      main: new URL("../../src/main.ts", import.meta.url).pathname,
    })
    live.set(index, gateway)
    return gateway
  }

  return {
    start,

    /** Kills a process and starts another one in its place. */
    replace: async (index: number): Promise<void> => {
      const killed = live.get(index)
      live.delete(index)
      killed?.child.kill("SIGKILL")
      await start(index)
    },

    /** One of those that run; undefined if none does. */
    choose: (): Gateway | undefined => {
      const all = [...live.values()]
      return all[Math.floor(Math.random() * all.length)]
    },

    call: async (method: string, path: string, body?: object): Promise<unknown> => {
      const [gateway] = live.values()
      const response = await fetch(`${gateway?.url}/api/v1/${path}`, {
        ...{ method, headers: { authorization: `Bearer ${adminKey}` } },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return JSON.parse(text)
    },
  }
}

export type Gateways = ReturnType<typeof createGateways>
