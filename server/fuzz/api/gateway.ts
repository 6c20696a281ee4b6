import { z } from "zod"
import { startGatewayProcess, testMain } from "../../test/harness/gateway-process.ts"

export const adminKey = "sk-fuzz-admin-0000000000000000000000000000"
export const scimToken = "fuzz-scim-token-0123456789abcdef0123456789"

/** Log lines kept to report an unexpected exit. */
const maxLines = 50

const ErrorLine = z.object({ level: z.int().min(50), err: z.object({ stack: z.string() }) })

/** Starts a gateway process, so that exits can be detected and its log can be read. */
export const startGateway = async (env: Readonly<Record<string, string>>) => {
  /** Stack traces that the gateway logged at error level. */
  const errors: string[] = []
  const gateway = await startGatewayProcess({
    main: testMain,
    maxLines,
    onLine: (line) => {
      const parsed = line.startsWith("{") ? ErrorLine.safeParse(JSON.parse(line)) : undefined
      if (parsed?.success) errors.push(parsed.data.err.stack)
    },
    env: {
      ENV: "dev",
      ADMIN_EMAIL: "admin@example.com",
      ADMIN_PASSWORD: "the password of the administrator",
      ADMIN_API_KEY: adminKey,
      SECRET_KEY: "a secret key of the fuzzer, long enough",
      SCIM_ENABLED: "true",
      SCIM_TOKEN: scimToken,
      SCIM_RATE_LIMIT: "off",
      ENABLE_OPENAI_PROXY: "true",
      INSTALL_GUIDE: "false",
      ...env,
    },
  })
  const { child } = gateway
  return {
    ...gateway,
    pid: child.pid ?? 0,
    errors,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
  }
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>
