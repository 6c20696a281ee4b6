import { readConfig } from "../../src/config/config.ts"
import { createTransports, type Transports } from "../../src/outbound/transport.ts"

/** The values of UPSTREAM_TRANSPORT. */
export const transportNames = ["portico", "undici"] as const

export const openTransports = (env: Record<string, string>): Transports =>
  createTransports(readConfig(env))
