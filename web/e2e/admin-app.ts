import { type BrowserSession, startTestApp, type TestApp } from "./test-app.ts"

/** The app of the running test file. */
export let app: TestApp
/** The administrator's session in it. */
export let visit: BrowserSession

/** For `beforeAll`. */
export const startAdminApp = async (...args: Parameters<typeof startTestApp>): Promise<void> => {
  app = await startTestApp(...args)
  visit = await app.asAdmin()
}

/** For `afterAll`. */
export const closeAdminApp = (): Promise<void> => app.close()
