import { stripTrailingSlashes } from "../config/strip-trailing-slashes.ts"
import { fail } from "../errors.ts"

/** A backslash, a fragment, or an encoded dot, backslash, percent sign or control character. */
const ambiguousCharacters = /[\\#]|%(?:2e|5c|25|[01][\da-f]|7f)/i
/** Some servers ignore everything after a semicolon in a segment. */
const dotSegment = /(?:^|\/)\.{1,2}(?:[/;]|$)/

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return fail("bad_request", "The request path contains invalid percent-encoding.")
  }
}

export interface RequestTarget {
  /** Percent-encoded; the same path is checked and sent. */
  path: string
  /** Includes the `?`, or is empty. */
  query: string
}

export const parseRequestTarget = (target: string): RequestTarget => {
  const queryStart = target.indexOf("?")
  const path = queryStart < 0 ? target : target.slice(0, queryStart)
  return {
    path: stripTrailingSlashes(path) || "/",
    query: queryStart < 0 ? "" : target.slice(queryStart),
  }
}

/**
 * Rejects paths that the gateway and an upstream could interpret differently.
 * @param namesModel whether the path ends in a model id, which may contain an encoded slash
 * @throws {Failure} `bad_request`
 */
export const rejectAmbiguousPath = ({ path }: RequestTarget, namesModel: boolean): void => {
  const decodedPath = decodePath(path)
  const isAmbiguous =
    !path.startsWith("/") ||
    ambiguousCharacters.test(path) ||
    dotSegment.test(decodedPath) ||
    (!namesModel && /%2f/i.test(path))
  if (isAmbiguous) {
    const message =
      "The request path is ambiguous. Remove dot segments, backslashes and encoded slashes, dots and control characters."
    fail("bad_request", message)
  }
}
