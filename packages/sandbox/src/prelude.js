// Runs in the isolate before the function's module and connects it to the host through one host
// function. It keeps references to all built-ins that it uses: a module that tampers with
// prototypes affects only itself.
;(host) => {
  const { parse, stringify } = JSON
  const { assign } = Object
  const { apply } = Reflect
  const NativePromise = Promise
  const NativeError = Error
  const text = String
  const { slice } = String.prototype
  const { get, set, delete: remove } = Map.prototype
  const { then } = Promise.prototype
  const cut = (value, length) => apply(slice, value, [0, length])

  // All isolates are copies of one image, so the built-in generator would produce the same numbers
  // in each.
  const { imul } = Math
  let randomState
  const random32 = () => {
    randomState ??= parse(host("seed", ""))
    const [a, b, c, count] = randomState
    const random = (((a + b) | 0) + count) | 0
    const nextC = (((c << 21) | (c >>> 11)) + random) | 0
    randomState = [b ^ (b >>> 9), imul(c, 9), nextC, (count + 1) | 0]
    return random >>> 0
  }
  Math.random = () => ((random32() >>> 5) * 67_108_864 + (random32() >>> 6)) / 9_007_199_254_740_992

  const pendingById = new Map()
  const timers = new Map()
  let lastId = 0

  class DeniedError extends NativeError {
    name = "DeniedError"
  }
  class RefusedError extends NativeError {
    name = "RefusedError"
  }
  class RequestError extends NativeError {
    name = "RequestError"
    constructor({ message, code, status }) {
      super(message)
      this.code = code
      this.status = status
    }
  }

  const faultOf = (thrown) => {
    try {
      if (!(thrown instanceof NativeError)) {
        return { name: "Error", message: cut(text(thrown), 2000), stack: "" }
      }
      return {
        name: cut(text(thrown.name), 100),
        message: cut(text(thrown.message), 2000),
        stack: cut(text(thrown.stack), 4000),
      }
    } catch {
      return { name: "Error", message: "The thrown value cannot be displayed", stack: "" }
    }
  }

  const waitForHost = (id) =>
    new NativePromise((resolve, reject) => {
      apply(set, pendingById, [id, { resolve, reject }])
    })

  /** Calls the host. The answer is parsed here, so that no objects are shared. */
  const callHost = (name, args) => {
    const id = ++lastId
    const refusal = host("call", stringify({ id, name, args: args ?? null }))
    return refusal === undefined ? waitForHost(id) : NativePromise.reject(new DeniedError(refusal))
  }

  const shown = (value) => {
    if (typeof value === "string") return value
    try {
      if (value instanceof NativeError) return `${value}\n${value.stack}`
      return stringify(value) ?? text(value)
    } catch {
      return text(value)
    }
  }
  let logIsFull = false
  const writer =
    (level) =>
    (...values) => {
      if (logIsFull) return
      let line = ""
      for (let at = 0; at < values.length; at++) line += (at > 0 ? " " : "") + shown(values[at])
      const { stack } = new NativeError()
      const reported = stringify({ level, text: cut(line, 4000), stack: cut(text(stack), 4000) })
      logIsFull = host("log", reported) !== undefined
    }
  const levels = () => ({
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
  })

  const log = assign(writer("info"), levels())
  globalThis.console = { log: writer("info"), ...levels() }
  globalThis.setTimeout = (callback, ms, ...values) => {
    if (typeof callback !== "function")
      throw new TypeError("The first argument of setTimeout must be a function")
    const id = ++lastId
    apply(set, timers, [id, () => callback(...values)])
    const refusal = host("timer", `${id} ${+ms > 0 ? +ms : 0}`)
    if (refusal === undefined) return id
    apply(remove, timers, [id])
    throw new DeniedError(refusal)
  }
  globalThis.clearTimeout = (id) => {
    if (apply(remove, timers, [id])) host("timer", `${id} -1`)
  }

  globalThis.AbortSignal = class AbortSignal {
    #aborted = false
    #listeners = []
    get aborted() {
      return this.#aborted
    }
    addEventListener(type, listener) {
      if (type === "abort") this.#listeners.push(listener)
    }
    removeEventListener(type, listener) {
      if (type === "abort") this.#listeners = this.#listeners.filter((known) => known !== listener)
    }
    throwIfAborted() {
      if (this.#aborted) throw new NativeError("The request was cancelled")
    }
  }

  /** @returns a promise if the function has to wait before it emits more */
  const emit = (json) => (host("output", json) === undefined ? undefined : waitForHost(0))

  const refuse = (message) => {
    throw new RefusedError(text(message))
  }

  let environment
  /** What the environment's tasks work with: the module's exports and its context. */
  const scope = { exports: undefined, context: undefined }

  const finish = (id, work) => {
    const done = (value) => host("done", `${id} ${stringify({ value: value ?? null })}`)
    const failed = (thrown) => host("done", `${id} ${stringify({ fault: faultOf(thrown) })}`)
    apply(then, apply(then, work, [done]), [undefined, failed])
  }

  const settle = ({ id, value, error }) => {
    const pending = apply(get, pendingById, [id])
    if (!pending) return
    apply(remove, pendingById, [id])
    if (error === undefined) pending.resolve(value)
    else pending.reject(error.denied ? new DeniedError(error.message) : new RequestError(error))
  }

  return {
    /** Takes the environment's script, before any module is loaded; see README.md. */
    define: (createEnvironment) => {
      environment = createEnvironment({ callHost, emit, log, refuse })
    },
    /** Called while the module loads; the second argument is the context's data as JSON. */
    load: (module, reported) => {
      scope.context = environment.createContext(parse(reported))
      const loading = apply(then, module, [
        (namespace) => {
          scope.exports = namespace
        },
      ])
      finish(0, loading)
    },
    /** Runs a task and reports `done` with its id. */
    invoke: (json) => {
      const { id, task, args } = parse(json)
      finish(id, (async () => environment.tasks[task](args, scope))())
    },
    settle: (json) => settle(parse(json)),
    fireTimer: (reported) => {
      const id = +reported
      const callback = apply(get, timers, [id])
      apply(remove, timers, [id])
      try {
        callback?.()
      } catch (thrown) {
        host("fault", stringify({ fault: faultOf(thrown) }))
      }
    },
  }
}
