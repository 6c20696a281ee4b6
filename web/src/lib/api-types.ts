import type { z } from "zod"
import type { Method, Responses, Route } from "../../../server/src/http/route.ts"
import type { ApiRoute } from "./api-routes.ts"

export type PathOf<M extends Method> = Extract<ApiRoute, { method: M }>["path"]
export type RouteOf<M extends Method, Path> = Extract<ApiRoute, { method: M; path: Path }>

/** Names of the parameters in a path. The pattern of one is left out: `:model{.+}`. */
type ParameterIn<Path> = Path extends `${infer Start}{${string}}${infer Rest}`
  ? ParameterIn<`${Start}${Rest}`>
  : ParameterOf<Path>

type ParameterOf<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** Values for the parameters in a path, unencoded. */
type ParamsOf<Path> = [ParameterIn<Path>] extends [never]
  ? { params?: never }
  : { params: Record<ParameterIn<Path>, string> }

/** What a route's schema accepts; a route has none for what it does not declare. */
type InputOf<Schema> = NonNullable<Schema> extends z.ZodType ? z.input<NonNullable<Schema>> : never

/** Value of a parameter after the `?`, which is sent as text; one without a value is not sent. */
export type QueryValue = string | number | boolean | null | undefined

/** The declared parameters; the gateway checks their values, which may come from the page's URL. */
type QueryOf<Q> =
  undefined extends InputOf<Q> ? undefined : { [Name in keyof InputOf<Q>]?: QueryValue }

/** Parameters after the `?` of a `get` route. */
export type QueryFor<Path extends PathOf<"get">> = QueryOf<RouteOf<"get", Path>["query"]>

/** Body of a `post` route. */
export type BodyFor<Path extends PathOf<"post">> = InputOf<RouteOf<"post", Path>["body"]>

type BodyOf<B> = undefined extends InputOf<B> ? { body?: undefined } : { body: InputOf<B> }

export interface SendOptions {
  signal?: AbortSignal
  /** Whether the request goes on when the page is closed; its body must be below 64 KB. */
  keepalive?: boolean
}

type OptionsOf<R> =
  R extends Route<Method, infer Path, infer _A, infer _P, infer Q, infer B, infer _R>
    ? ParamsOf<Path> & BodyOf<B> & SendOptions & { query?: QueryOf<Q> }
    : never

/** The arguments after the path; they may be left out if none is required. */
export type CallArguments<R> =
  object extends OptionsOf<R> ? [options?: OptionsOf<R>] : [options: OptionsOf<R>]

type JsonOf<Declared> = Declared extends { schema: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : never

/** The JSON of a successful response. */
export type ResponseOf<R extends { responses: Responses }> = JsonOf<R["responses"][200]>

type ItemIn<List> = List extends { items: (infer Item)[] } ? Item : never

/** An item of a list that answers pages. */
export type ItemOf<R extends { responses: Responses }> = ItemIn<ResponseOf<R>>
