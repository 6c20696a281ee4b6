import type { Result, Router } from "hono/router"
import { TrieRouter } from "hono/router/trie-router"

const hasNoParameters = <T>([handlers]: Result<T>): boolean =>
  handlers.every(([, parameters]) => Object.keys(parameters).length === 0)

/**
 * A trie router that caches results for fixed paths, which receive most requests. Hono's fastest
 * router does not support patterns such as `:id{.+}` alongside fixed paths.
 */
export class PathRouter<T> implements Router<T> {
  readonly name = "PathRouter"
  readonly #trie = new TrieRouter<T>()
  readonly #fixed = new Set<string>()
  readonly #found = new Map<string, Result<T>>()

  add(method: string, path: string, handler: T): void {
    this.#found.clear()
    if (!/[:*]/.test(path)) this.#fixed.add(path)
    this.#trie.add(method, path, handler)
  }

  match(method: string, path: string): Result<T> {
    const key = `${method} ${path}`
    const known = this.#found.get(key)
    if (known) return known
    const result = this.#trie.match(method, path)
    if (this.#fixed.has(path) && hasNoParameters(result)) this.#found.set(key, result)
    return result
  }
}
