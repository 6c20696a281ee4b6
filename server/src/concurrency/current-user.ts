import { AsyncLocalStorage } from "node:async_hooks"

const users = new AsyncLocalStorage<string>()

/** Runs `work`, and all that it starts, on behalf of a user, so that limits can count it. */
export const runAs = <T>(userId: string, work: () => T): T => users.run(userId, work)

/** Runs background work that serves everybody, whoever caused it. */
export const runAsNobody = <T>(work: () => T): T => users.exit(work)

/** Undefined for work on nobody's behalf: authentication and background tasks. */
export const currentUser = (): string | undefined => users.getStore()
