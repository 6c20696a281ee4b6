import { resolve } from "node:path"
import { createSecureContext } from "node:tls"
import { z } from "zod"
import {
  BearerToken,
  Cidrs,
  CountBounds,
  Duration,
  FileContents,
  Flag,
  isHttpUrl,
  MetricsLabels,
  OcrLanguages,
  Origins,
  Port,
  PositiveInteger,
  ProxyExceptions,
  ProxyUrl,
  RatePerMinute,
  RootUrl,
  S3Url,
  Size,
  SizeBounds,
  Url,
  type Variables,
} from "./config-values.ts"
import { type OidcProvider, readOidcProviders } from "./oidc-config.ts"
import {
  type ConfiguredConnection,
  providerVariableNames,
  readProviderConnections,
} from "./provider-config.ts"

const memoryRange = "must be between 4MB and 1GB"
const lifetimeRange = "must be between 1m and 365d"

/** First path segments of the API: RUNTIME_PREFIX and the pages of the web app must not use them. */
export const reservedSegments: readonly string[] = [
  ...["api", "v1", "scim", "openai", "docs", "openapi.json"],
  ...["health", "ready", "metrics"],
]

/**
 * Conflicts between variables that are each valid. Reads the unparsed values so that conflicts are
 * also reported when another variable is invalid.
 */
const findConflicts = (env: Variables): [wrong: unknown, message: string][] => {
  return [
    [
      env.DATABASE_URL && !env.SECRET_KEY,
      "SECRET_KEY is required with DATABASE_URL; generate one with: openssl rand -base64 32",
    ],
    [
      env.SCIM_ENABLED === "true" && !env.SCIM_TOKEN,
      "SCIM_TOKEN is required with SCIM_ENABLED=true; generate one with: openssl rand -base64 32",
    ],
    [
      env.ADMIN_API_KEY && [env.SCIM_TOKEN, env.SCIM_TOKEN_PREVIOUS].includes(env.ADMIN_API_KEY),
      "SCIM_TOKEN must differ from ADMIN_API_KEY, because it must grant access to SCIM only",
    ],
    [env.ADMIN_PASSWORD && !env.ADMIN_EMAIL, "ADMIN_EMAIL is required with ADMIN_PASSWORD"],
    [env.ADMIN_API_KEY && !env.ADMIN_EMAIL, "ADMIN_EMAIL is required with ADMIN_API_KEY"],
    [
      env.ADMIN_EMAIL && !env.ADMIN_PASSWORD && !env.ADMIN_API_KEY,
      "ADMIN_PASSWORD or ADMIN_API_KEY is required with ADMIN_EMAIL; otherwise nobody can sign in",
    ],
    [
      !env.UPSTREAM_CLIENT_CERT !== !env.UPSTREAM_CLIENT_KEY,
      "UPSTREAM_CLIENT_CERT and UPSTREAM_CLIENT_KEY require each other",
    ],
  ]
}

const Environment = z.object({
  PORT: Port.default(8080),
  HOST: z.string().default("127.0.0.1"),
  ENV: z.enum(["dev", "prod"]).default("prod"),
  DATA_DIR: z
    .string()
    .default("./data")
    .transform((path) => resolve(path)),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres://")
    .optional(),
  SECRET_KEY: z.string().min(32, "must have at least 32 characters").optional(),
  PUBLIC_URL: RootUrl.optional(),
  CORS_ORIGINS: Origins.default([]),
  RUNTIME_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]*$/i, "must be one path segment of letters, digits, . _ -")
    .refine((prefix) => !reservedSegments.includes(prefix.toLowerCase()), {
      error: (issue) => `must not be "${issue.input}", which is reserved for another route`,
    })
    .default("ollama"),
  ADMIN_EMAIL: z
    .email({ pattern: z.regexes.html5Email, error: "must be an email address" })
    .optional(),
  ADMIN_PASSWORD: z.string().min(8, "must have at least 8 characters").optional(),
  ADMIN_API_KEY: z
    .string()
    .regex(/^sk-[\x21-\x7e]{20,}$/, "must start with sk- and have at least 20 characters after it")
    .optional(),
  ENABLE_SIGNUP: Flag.optional(),
  DEFAULT_USER_ROLE: z.enum(["pending", "user"]).optional(),
  PASSWORD_SIGN_IN: z.enum(["on", "administrators", "off"]).optional(),
  JWT_EXPIRES_IN: Duration.pipe(z.number().min(60, lifetimeRange).max(31_536_000, lifetimeRange))
    .transform(Math.floor)
    .optional(),
  ENABLE_OPENAI_PROXY: Flag.optional(),
  CLAUDE_ALIASES: Flag.optional(),
  METRICS_TOKEN: z.string().min(1).optional(),
  METRICS_LABELS: MetricsLabels.default([]),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  TRUSTED_PROXIES: Cidrs.default([]),
  MAX_BODY_SIZE: Size.default(50e6),
  MAX_UPLOAD_SIZE: Size.default(200e6),
  MAX_CONNECTIONS: CountBounds.default({ perUser: 1000, total: 20_000 }),
  MAX_REQUESTS: CountBounds.default({ perUser: 5000, total: 20_000 }),
  MAX_ANSWERS: CountBounds.default({ perUser: 500, total: 10_000 }),
  MAX_EVENT_STREAMS: CountBounds.default({ perUser: 1000, total: 20_000 }),
  MAX_BUFFERED_BODIES: SizeBounds.default({ perUser: 250e6, total: 1e9 }),
  MAX_BUFFERED_REPLIES: SizeBounds.default({ perUser: 250e6, total: 1e9 }),
  MAX_UPLOADS: CountBounds.default({ perUser: 100, total: 1000 }),
  MAX_UNFINISHED_UPLOADS: CountBounds.default({ perUser: 200, total: 10_000 }),
  MAX_MODELS: CountBounds.default({ perUser: 1000, total: 20_000 }),
  MAX_CHATS: PositiveInteger.default(20_000),
  MAX_FILES: PositiveInteger.default(200_000),
  MAX_COLLECTIONS: PositiveInteger.default(2000),
  MAX_SIGNUPS: PositiveInteger.default(100_000),
  MAX_STORAGE: SizeBounds.default({ perUser: 100e9, total: 10_000e9 }),
  S3_URL: S3Url.optional(),
  UPLOAD_LIFETIME: Duration.default(86_400),
  RESPONSE_LIFETIME: Duration.transform(Math.ceil).default(2_592_000),
  MAX_TEXT_LENGTH: PositiveInteger.default(10_000_000),
  EXTRACTION_URL: Url.optional(),
  EXTRACTION_ENGINE: z.enum(["tika", "docling"]).default("tika"),
  EXTRACTION_TIMEOUT: Duration.default(120),
  EXTRACTION_MEMORY: Size.default(600e6),
  EXTRACTION_CONCURRENCY: PositiveInteger.optional(),
  OCR_LANGUAGES: OcrLanguages.optional(),
  EMBEDDING_MODEL: z.string().max(300).optional(),
  HF_ENDPOINT: Url.default("https://huggingface.co"),
  RERANK_URL: Url.optional(),
  RERANK_MODEL: z.string().max(300).optional(),
  RERANK_API_KEY: z.string().max(1000).optional(),
  EMBEDDING_CONCURRENCY: PositiveInteger.default(2),
  FUNCTION_WORKERS: PositiveInteger.default(2),
  FUNCTION_CONCURRENCY: PositiveInteger.default(50),
  FUNCTION_NETWORKS: Cidrs.default([]),
  INSTALL_GUIDE: Flag.default(true),
  FUNCTION_MEMORY: Size.pipe(z.number().min(4e6, memoryRange).max(1e9, memoryRange)).default(64e6),
  FUNCTION_CPU_TIME: Duration.pipe(z.number().min(0.01, "must be at least 10ms")).default(1),
  FUNCTION_TIMEOUT: Duration.pipe(z.number().min(0.1, "must be at least 100ms")).default(300),
  DRAIN_DELAY: Duration.default(0),
  DRAIN_TIMEOUT: Duration.default(30),
  UPSTREAM_CONNECT_TIMEOUT: Duration.default(5),
  UPSTREAM_FIRST_BYTE_TIMEOUT: Duration.default(120),
  UPSTREAM_IDLE_TIMEOUT: Duration.default(120),
  UPSTREAM_TRANSPORT: z.enum(["portico", "undici"]).default("portico"),
  UPSTREAM_HTTP2: Flag.default(false),
  UPSTREAM_CLIENT_CERT: FileContents.optional(),
  UPSTREAM_CLIENT_KEY: FileContents.optional(),
  HTTP_PROXY: ProxyUrl.optional(),
  HTTPS_PROXY: ProxyUrl.optional(),
  NO_PROXY: ProxyExceptions.default([]),
  FAST_PATH: Flag.default(true),
  MODEL_REFRESH_INTERVAL: Duration.default(30),
  SCIM_ENABLED: z
    .string()
    .transform((text) => text === "true")
    .default(false),
  SCIM_TOKEN: BearerToken.optional(),
  SCIM_TOKEN_PREVIOUS: BearerToken.optional(),
  SCIM_DELETE_MODE: z.enum(["deactivate", "hide"]).default("deactivate"),
  SCIM_ALLOWED_CIDRS: Cidrs.default([]),
  SCIM_RATE_LIMIT: RatePerMinute.default({ writes: 600, reads: 1000 }),
  USAGE_RETENTION: Duration.transform(Math.ceil).optional(),
  AUDIT_RETENTION: Duration.transform(Math.ceil).optional(),
  AUDIT_STREAM: z
    .string()
    .refine((text) => text === "stdout" || isHttpUrl(text), "must be stdout or an http(s) URL")
    .optional(),
  AUDIT_STREAM_AUTHORIZATION: z
    .string()
    .regex(/^[\x20-\x7e]+$/, "must be printable ASCII, such as Bearer <token>")
    .optional(),
})

const describeCertificateError = ({
  UPSTREAM_CLIENT_CERT: cert,
  UPSTREAM_CLIENT_KEY: key,
}: Environment): string[] => {
  try {
    createSecureContext({ cert, key })
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [
      `UPSTREAM_CLIENT_CERT and UPSTREAM_CLIENT_KEY must be a certificate and its key (${reason})`,
    ]
  }
}

/** The names of all environment variables; `docs/configuration.md` has a row for each. */
export const variableNames = [...Object.keys(Environment.def.shape), ...providerVariableNames]

type Environment = z.output<typeof Environment>

/** The environment variables by their names, parsed; see `docs/configuration.md`. */
export interface Config extends Environment {
  connections: ConfiguredConnection[]
  signOn: OidcProvider[]
}

/**
 * Parses the environment; an empty variable counts as unset.
 * @throws {Error} listing every invalid variable and the values it accepts
 */
export const readConfig = (env: Record<string, string | undefined> = process.env): Config => {
  const set = Object.fromEntries(
    variableNames.filter((name) => env[name]?.trim()).map((name) => [name, env[name]?.trim()]),
  )
  const result = Environment.safeParse(set)
  const wrong = (result.error?.issues ?? []).map(
    ({ path, message }) => `${String(path[0])} ${message}`,
  )
  wrong.push(...findConflicts(set).flatMap(([isSo, message]) => (isSo ? [message] : [])))
  if (result.success) wrong.push(...describeCertificateError(result.data))
  const modelProviders = readProviderConnections(set)
  const ssoProviders = readOidcProviders(env)
  wrong.push(...modelProviders.wrong, ...ssoProviders.wrong)
  if (
    set.PASSWORD_SIGN_IN &&
    set.PASSWORD_SIGN_IN !== "on" &&
    ssoProviders.providers.length === 0
  ) {
    wrong.push(
      `PASSWORD_SIGN_IN=${set.PASSWORD_SIGN_IN} requires a provider (OIDC_<NAME>_ISSUER …); otherwise nobody can sign in`,
    )
  }
  if (result.success && wrong.length === 0)
    return {
      ...result.data,
      connections: modelProviders.connections,
      signOn: ssoProviders.providers,
    }
  throw new Error(`Invalid configuration:\n${wrong.map((line) => `  ${line}`).join("\n")}`)
}

/** Folder in which `npm run` was called; npm itself changes to the project folder. */
export const invocationDir = (env: Record<string, string | undefined> = process.env): string =>
  env.INIT_CWD ?? "."
