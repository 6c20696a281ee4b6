// Preloaded into the gateway: a resolver under an attacker's control that alternates between an
// allowed and a blocked address for one host name (DNS rebinding).
import callbacks from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import { fickleName, openAddress } from "../noisy-neighbor/neighbor.ts"

const honest = { ask: callbacks.promises.lookup, call: callbacks.lookup }
let requested = 0
const lie = () => ({ address: requested++ % 2 === 0 ? openAddress : "127.0.0.1", family: 4 })

Object.assign(callbacks.promises, {
  lookup: async (name: string, options: object) =>
    name === fickleName ? [lie()] : honest.ask(name, options),
})

type Reported = (error: null, address: object[] | string, family?: number) => void
Object.assign(callbacks, {
  lookup: (name: string, options: { all?: boolean }, reported: Reported) => {
    if (name !== fickleName) return Reflect.apply(honest.call, callbacks, [name, options, reported])
    const { address, family } = lie()
    if (options.all) reported(null, [{ address, family }])
    else reported(null, address, family)
  },
})
syncBuiltinESMExports()
