import { readConfig } from "../../src/config/config.ts"
import { createTransports, type Transports } from "../../src/outbound/transports.ts"

/** The values of UPSTREAM_TRANSPORT. */
export const transportNames = ["portico", "undici"] as const

export const openTransports = (env: Record<string, string>): Transports =>
  createTransports(readConfig(env))

/** Settings for the parts that Node and undici can do instead of ours; both must behave alike. */
export const httpVariants = [
  ["our HTTP", {}],
  ["the HTTP of Node and undici", { UPSTREAM_TRANSPORT: "undici", FAST_PATH: "false" }],
] satisfies [string, Record<string, string>][]
