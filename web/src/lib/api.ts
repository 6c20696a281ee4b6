import type { ObjectsInUse } from "../../../server/src/http/in-use.ts"
import type { Page } from "../../../server/src/http/pagination.ts"
import type { Method } from "../../../server/src/http/route.ts"
import type { MessageReference } from "../../../server/src/i18n/message.ts"
import { t } from "../i18n/translate.ts"
import type {
  CallArguments,
  ItemOf,
  PathOf,
  QueryFor,
  QueryValue,
  ResponseOf,
  RouteOf,
  SendOptions,
} from "./api-types.ts"

export interface FieldError extends Partial<MessageReference> {
  path: string
  message: string
  /** Position in the source code that the field contains. */
  line?: number
  column?: number
}

/** The gateway answered with an error status; `message` is the text from the response. */
export class ApiError extends Error {
  override name = "ApiError"
  readonly status: number
  readonly code: string
  readonly errors: readonly FieldError[]
  /** What stands against a deletion, which needs a confirmation. */
  readonly inUse: ObjectsInUse | null
  /** What the message is translated by; null if it is shown as it is. */
  readonly reference: MessageReference | null
  readonly requestId: string | null
  /** Seconds, from the Retry-After header. */
  readonly retryAfter: number | null

  constructor(response: Response, body: ErrorBody) {
    const code = body.code ?? body.error?.code ?? "unknown"
    const message = body.detail ?? body.error?.message
    // The gateway's message explains to API clients how to send a key.
    const sessionMessage = code === "unauthorized" ? t("session.ended") : message
    super(sessionMessage ?? `${response.status} ${response.statusText}`)
    this.status = response.status
    this.code = code
    this.errors = body.errors ?? []
    this.inUse = body.in_use ?? null
    const { id, values = {} } = body
    this.reference = id === undefined || code === "unauthorized" ? null : { id, values }
    this.requestId = response.headers.get("x-request-id")
    const retryAfterSeconds = Number(response.headers.get("retry-after"))
    this.retryAfter = retryAfterSeconds > 0 ? retryAfterSeconds : null
  }
}

/** No response: the network or the gateway is down. */
export class UnreachableError extends Error {
  override name = "UnreachableError"
}

interface ErrorBody extends Partial<MessageReference> {
  detail?: string
  code?: string
  errors?: FieldError[]
  in_use?: ObjectsInUse
  error?: { message?: string; code?: string }
}

export type QueryParams = Record<string, QueryValue>

interface RequestOptions extends SendOptions {
  query?: QueryParams | undefined
}

const reachabilityWatchers = new Set<(isReachable: boolean) => void>()

/** Calls `watcher` after every request with whether the gateway responded. */
export const watchReachability = (watcher: (isReachable: boolean) => void): (() => void) => {
  reachabilityWatchers.add(watcher)
  return () => reachabilityWatchers.delete(watcher)
}

const notifyWatchers = (isReachable: boolean): void => {
  for (const watcher of reachabilityWatchers) watcher(isReachable)
}

const withQuery = (path: string, query: QueryParams = {}): string => {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [[name, String(value)]],
  )
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`
}

const readErrorBody = async (response: Response): Promise<ErrorBody> => {
  const text = await response.text()
  try {
    const body: ErrorBody | { error: string } = JSON.parse(text)
    // Bodies in the format of another API have no place for it.
    const reference: Partial<MessageReference> = JSON.parse(
      response.headers.get("x-portico-message") ?? "{}",
    )
    return typeof body.error === "string"
      ? { detail: body.error, ...reference }
      : { ...reference, ...(body as ErrorBody) }
  } catch {
    return text && text.length < 300 ? { detail: text } : {}
  }
}

let sessionRestorer: ((signal?: AbortSignal) => Promise<boolean>) | undefined

/** Registers what lets the user sign in again after a session ended; false if it cannot. */
export const registerSessionRestorer = (restorer: NonNullable<typeof sessionRestorer>): void => {
  sessionRestorer = restorer
}

/**
 * Whether to send a failed request again: the session had ended, so the gateway did not execute it,
 * and the user has signed in again meanwhile.
 */
export const restoreSessionAfter = async (
  error: unknown,
  signal?: AbortSignal,
): Promise<boolean> => {
  const hasSessionEnded =
    error instanceof ApiError && error.status === 401 && error.code !== "wrong_credentials"
  return hasSessionEnded && (await sessionRestorer?.(signal)) === true
}

const sendOnce = async (
  method: string,
  path: string,
  { query, signal, keepalive = false, body }: RequestOptions & { body?: unknown },
): Promise<Response> => {
  let response: Response
  try {
    response = await fetch(withQuery(path, query), {
      method,
      keepalive,
      ...(signal && { signal }),
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    notifyWatchers(false)
    throw new UnreachableError(t("error.gone"), { cause: error })
  }
  notifyWatchers(true)
  if (!response.ok) throw new ApiError(response, await readErrorBody(response))
  return response
}

/**
 * Sends a request and returns the response, whose body the caller may stream. If the session has
 * ended, waits until the user has signed in again.
 * @throws {ApiError} on a status other than 2xx
 * @throws {UnreachableError} without a response
 */
export const callRaw = async (
  method: string,
  path: string,
  options: RequestOptions & { body?: unknown } = {},
): Promise<Response> => {
  try {
    return await sendOnce(method, path, options)
  } catch (error) {
    if (!(await restoreSessionAfter(error, options.signal))) throw error
    return sendOnce(method, path, options)
  }
}

/**
 * Sends a request whose types no route declares, and returns the JSON of the response: for APIs
 * that the gateway only passes through, routes in OpenAI's format, and bodies that a route reads
 * itself.
 */
export const callJson = async <T>(
  method: string,
  path: string,
  options?: RequestOptions & { body?: unknown },
): Promise<T> => (await callRaw(method, path, options)).json()

/** Replaces the parameters of a path, with their patterns: `/users/:id`, `/prices/:model{.+}` */
const fillPath = (path: string, params: Record<string, string> = {}): string =>
  path.replace(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))

type CallOptions = RequestOptions & { params?: Record<string, string>; body?: unknown }

const call = async (
  method: string,
  path: string,
  { params, ...options }: CallOptions = {},
): Promise<unknown> => {
  const response = await callRaw(method, fillPath(path, params), options)
  const text = await response.text()
  // Not validated: the gateway and this page are built from the same declarations.
  return text === "" ? undefined : JSON.parse(text)
}

type Call<M extends Method> = <Path extends PathOf<M>>(
  path: Path,
  ...options: CallArguments<RouteOf<M, Path>>
) => Promise<ResponseOf<RouteOf<M, Path>>>

/** For lists that answer an array to requests without a `page`. */
type GetPage = <Path extends PathOf<"get">>(
  path: Path,
  options: { query: QueryFor<Path> & { page: number }; signal?: AbortSignal },
) => Promise<Page<ItemOf<RouteOf<"get", Path>>>>

const callWith = (method: string) => (path: string, options?: CallOptions) =>
  call(method, path, options)

/** Requests to the gateway's own API, with the types that its routes declare. */
export const api = {
  get: callWith("GET") as Call<"get">,
  getPage: callWith("GET") as GetPage,
  post: callWith("POST") as Call<"post">,
  put: callWith("PUT") as Call<"put">,
  delete: callWith("DELETE") as Call<"delete">,
}
