import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Config } from "../config/config.ts"
import { type Bus, createLocalBus } from "./bus.ts"

/** Opens the bus for the configured database; the PostgreSQL bus is loaded only if used. */
export const openBus = async (
  { DATABASE_URL }: Pick<Config, "DATABASE_URL">,
  background: BackgroundTasks,
): Promise<Bus> => {
  if (!DATABASE_URL) return createLocalBus(background)
  const { createPostgresBus } = await import("./postgres-bus.ts")
  return createPostgresBus(DATABASE_URL, background)
}
