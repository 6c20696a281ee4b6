// The environment of the tests: `context` holds what tests pass to it, and tasks run exports.
;({ callHost, emit, log, refuse }) => {
  const { stringify } = JSON
  const createdAt = Date.now()
  let runs = 0

  return {
    createContext: (data) => {
      runs++
      return { ...data, call: callHost, log, refuse, createdAt, runs }
    },
    tasks: {
      run: (args, { exports, context }) => exports.run(args, context),
      emitAll: async (args, { exports, context }) => {
        for await (const piece of exports.run(args, context)) {
          const consumed = emit(stringify(piece))
          if (consumed !== undefined) await consumed
        }
      },
    },
  }
}
