import { setTimeout as sleep } from "node:timers/promises"

/** The gateway under attack and the credential of the attacker. */
export interface Attacked {
  port: number
  key: string
  /** Resources from the setup: ids of functions, or of a collection. */
  names: readonly string[]
}

/** Runs until the process exits; calls `count` for each response, successful or not. */
export type Attack = (attacked: Attacked, count: () => void) => void

/** Runs workers that each send one request after another. */
export const workers =
  (many: number, send: (attacked: Attacked, turn: number) => Promise<Response>): Attack =>
  (attacked, count) => {
    let turn = 0
    const work = async (): Promise<never> => {
      for (;;) {
        await send(attacked, turn++)
          .then((response) => response.arrayBuffer())
          .catch(() => sleep(50))
        count()
      }
    }
    for (let index = 0; index < many; index++) void work()
  }

export const post = (
  { port, key }: Attacked,
  path: string,
  body: string | FormData,
): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(typeof body === "string" && { "content-type": "application/json" }),
    },
    body,
    signal: AbortSignal.timeout(60_000),
  })
