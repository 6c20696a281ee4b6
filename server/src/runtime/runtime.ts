export const createRuntime = (_: object) => ({})
export type Runtime = ReturnType<typeof createRuntime>
