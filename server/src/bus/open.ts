import type { Config } from "../config/config.ts"
import { type Bus, createLocalBus } from "./bus.ts"

/** The bus of the configured database; what only several processes need is loaded only for them. */
export const openBus = async ({ DATABASE_URL }: Pick<Config, "DATABASE_URL">): Promise<Bus> => {
  if (!DATABASE_URL) return createLocalBus()
  const { createPostgresBus } = await import("./postgres-bus.ts")
  return createPostgresBus(DATABASE_URL)
}
