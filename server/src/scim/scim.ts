import type { Logger } from "pino"
import type { FailureTrail } from "../audit/failures.ts"
import type { Config } from "../config.ts"
import { createGate } from "./gate.ts"

const shortestToken = 32

interface Needs {
  config: Config
  failures: FailureTrail
  log: Logger
}

const warn = ({ SCIM_ENABLED, SCIM_TOKEN = "", PUBLIC_URL }: Config, log: Logger): void => {
  if (!SCIM_ENABLED) return
  if (SCIM_TOKEN.length < shortestToken) {
    log.warn(`SCIM_TOKEN has under ${shortestToken} characters; openssl rand -base64 32 makes one`)
  }
  if (PUBLIC_URL && !PUBLIC_URL.startsWith("https:")) {
    log.warn("SCIM is on and PUBLIC_URL is without https: the SCIM token can be read on the way")
  }
}

/** SCIM 2.0 (RFC 7643, 7644): users and groups as the organisation's identity provider sees them. */
export const createScim = ({ config, failures, log }: Needs) => {
  warn(config, log)
  return {
    admit: createGate(config, failures),
  }
}
