// Runs in the sandbox before a function's module. Creates the `context` that functions see (its
// types are in portico.d.ts; host-calls.ts answers its calls) and defines the tasks they perform.
;({ callHost, emit, log, refuse }) => {
  const { parse, stringify } = JSON
  const { assign, freeze } = Object
  const { isArray } = Array
  const text = String
  const signal = new AbortSignal()

  class Response {
    #body
    constructor({ status, url, headers, body }) {
      this.status = status
      this.ok = status >= 200 && status <= 299
      this.url = url
      this.headers = headers
      this.#body = body
    }
    async text() {
      return this.#body
    }
    async json() {
      return parse(this.#body)
    }
  }

  /** Yields the pieces of another model's response, fetching them as they are consumed. */
  const streamOf = async function* (request) {
    const { stream } = await callHost("chat.open", { request })
    let isDone = false
    try {
      while (!isDone) {
        const { pieces, done } = await callHost("chat.next", { stream })
        isDone = done
        for (let at = 0; at < pieces.length; at++) yield pieces[at]
      }
    } finally {
      if (!isDone) await callHost("chat.close", { stream })
    }
  }

  const createContext = ({ user, settings, model }) =>
    freeze({
      user: freeze(user),
      settings: freeze(settings),
      model: freeze(model),
      signal,
      log,
      fetch: async (url, init) => new Response(await callHost("fetch", { url: text(url), init })),
      chat: (request) =>
        request?.stream === true ? streamOf(request) : callHost("chat", { request }),
      embed: (request) => callHost("embed", { request }),
      search: (collections, query, options) =>
        callHost("search", {
          collections: isArray(collections) ? collections : [collections],
          query,
          options,
        }),
      files: freeze({
        list: () => callHost("files.list"),
        text: (id) => callHost("files.text", { id }),
      }),
      store: freeze({
        get: (key) => callHost("store.get", { key }),
        set: (key, value) => callHost("store.set", { key, value }),
        delete: (key) => callHost("store.delete", { key }),
        keys: (prefix) => callHost("store.keys", { prefix: prefix ?? "" }),
      }),
      refuse,
    })

  /** @returns a promise if the function has to wait before it emits more */
  const emitPiece = (piece) => {
    if (piece === undefined || piece === null) return undefined
    const json = stringify(piece)
    if (json === undefined) throw new TypeError("reply must yield strings or objects")
    return emit(json)
  }

  const isStream = (value) =>
    typeof value === "object" && value !== null && typeof value[Symbol.asyncIterator] === "function"
  const isIterator = (value) =>
    typeof value === "object" && value !== null && typeof value[Symbol.iterator] === "function"

  const hook = (exports, name) => {
    const found = exports[name]
    if (typeof found !== "function")
      throw new TypeError(`The module does not export a function "${name}"`)
    return found
  }

  const tasks = {
    describe: (_, { exports }) => {
      const { name, description, models, settings } = exports
      const has = (hookName) => typeof exports[hookName] === "function"
      const found = { reply: has("reply"), before: has("before") }
      assign(found, { after: has("after"), chunk: has("chunk") })
      return { name, description, models, settings, found }
    },
    reply: async ({ request }, { exports, context }) => {
      const result = hook(exports, "reply")(request, context)
      const value = isStream(result) ? result : await result
      if (!isStream(value) && !(isIterator(value) && !isArray(value)))
        return { value: value ?? null }
      for await (const piece of value) {
        const room = emitPiece(piece)
        if (room !== undefined) await room
      }
      return { streamed: true }
    },
    before: async ({ request }, { exports, context }) =>
      (await hook(exports, "before")(request, context)) ?? request,
    after: async ({ reply }, { exports, context }) =>
      (await hook(exports, "after")(reply, context)) ?? reply,
    chunk: async ({ deltas }, { exports, context }) => {
      const changed = []
      for (let at = 0; at < deltas.length; at++) {
        const delta = await hook(exports, "chunk")(deltas[at], context)
        changed[at] = delta === undefined ? deltas[at] : delta
      }
      return changed
    },
  }

  return { createContext, tasks }
}
