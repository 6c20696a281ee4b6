import { fickleName, openAddress, treasure } from "../noisy-neighbor/neighbor.ts"

const replying = (expression: string): string =>
  `export const reply = async (request, context) => ${expression}`

const fetching = (address: string): string =>
  replying(`(await context.fetch('http://${address}/')).text()`)

/** Placeholders: `PORT` is the port of the network targets, `SAVED` the time of saving in ms. */
const closedHosts = ["127.0.0.1:PORT", "localhost:PORT", "169.254.169.254", "10.0.0.1"]
/** The `hosts` setting of hostile functions. */
export const fetched = [...closedHosts, `${openAddress}:PORT`, `${fickleName}:PORT`]

/** Source of a function with a secret in its settings, store, globals and reply. */
export const keeper = `export const settings = { secret: { type: "secret" } }
export const reply = async (request, context) => {
  await context.store.set("mine", "${treasure}")
  globalThis.kept = "${treasure}"
  return context.settings.secret
}`

/** Sources that are rejected on saving, by kind. */
export const refused: Readonly<Record<string, readonly string[]>> = {
  loading: [`import fs from "node:fs"\n${replying("String(fs)")}`, "throw new Error('at once')"],
}

/** Sources that exhaust a resource or try to escape the sandbox, by kind of attack. */
export const hostile: Readonly<Record<string, readonly string[]>> = {
  loop: [
    replying("{ for (;;) {} }"),
    replying("{ for (;;) { try { for (;;) {} } finally { continue } } }"),
  ],
  promises: [replying("{ const on = () => Promise.resolve().then(on); return on() }")],
  memory: [
    replying("'x'.repeat(1e9)"),
    replying("{ let text = 'x'; for (;;) text += text }"),
    replying("{ const all = []; for (;;) all.push('x'.repeat(1e6) + all.length) }"),
  ],
  recursion: [
    replying("{ const down = (n) => down(n + 1) + 1; return String(down(0)) }"),
    replying(
      "{ let deep = []; for (let n = 0; n < 1e5; n++) deep = [deep]; return JSON.stringify(deep) }",
    ),
  ],
  pattern: [replying("String(/^(a+)+$/.test('a'.repeat(60) + 'b'))")],
  pieces: ["export function* reply() { for (let n = 0; n < 1e7; n++) yield 'x' }"],
  native: [replying("new Array(1e9) + ''")],
  logs: [replying("{ for (;;) context.log('x'.repeat(1000)) }")],
  waiting: [
    replying("new Promise(() => {})"),
    replying("new Promise((on) => setTimeout(on, 1e9))"),
  ],
  loading: [
    // Loads when it is saved, but fails to load when it is called later.
    `if (Date.now() > SAVED + 3000) throw new Error("late")\n${replying("'in time'")}`,
    replying("import('node:fs')"),
  ],
  tricks: [
    replying(
      "{ Object.prototype.toJSON = () => ({ id: -1 }); context.log(context); return context }",
    ),
    replying(
      "{ globalThis.Promise = class {}; Array.prototype.map = 1; Map.prototype.get = 1; return 'x' }",
    ),
    replying("context.chat.constructor.constructor('return typeof process')()"),
  ],
  reach: [
    ...closedHosts.map(fetching),
    ...closedHosts.map((host) => fetching(`${openAddress}:PORT/${host}`)),
    fetching("not-allowed.example"),
  ],
  rebinding: [
    fetching(`${fickleName}:PORT`),
    fetching(`${fickleName}:PORT/${fickleName}:PORT`),
    fetching(`${openAddress}:PORT/${fickleName}:PORT`),
  ],
  // Another function's settings, store, globals, and its model without a grant.
  others: [
    replying(`{
      const keys = ["mine", "keeper/mine", "../keeper/mine", "keeper:mine", "keeper\\u0000mine"]
      const tries = [...keys.map((key) => context.store.get(key)), context.store.keys()]
      return JSON.stringify(await Promise.allSettled([...tries, context.store.keys("keeper")]))
    }`),
    replying(`{
      for (const [name, value] of Object.entries({ id: "keeper", function: { id: "keeper" } })) {
        Reflect.set(context, name, value); Reflect.set(context.store, name, value)
      }
      const own = await Promise.allSettled([context.store.get("mine"), context.store.get("mine", "keeper")])
      return JSON.stringify([own, context.settings, context])
    }`),
    replying(
      "JSON.stringify([context.settings, Object.values(globalThis), globalThis.kept ?? null])",
    ),
    replying("context.chat({ model: 'keeper', messages: request.messages })"),
    "export const reply = (request) => ({ model: 'keeper', messages: request.messages })",
    replying(
      "{ for (let n = 0; n < 50; n++) await context.store.set('k' + n, 'x'.repeat(1e4)); return 'x' }",
    ),
  ],
}
