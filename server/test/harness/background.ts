import {
  type BackgroundTasks,
  createBackgroundTasks,
} from "../../src/background/background-tasks.ts"

/** Background tasks for parts that a test creates by itself; failures are not logged. */
export const createTestBackground = (): BackgroundTasks =>
  createBackgroundTasks({ log: { error: () => {} } })
