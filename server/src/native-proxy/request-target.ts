import { withoutTrailingSlashes } from "../config/trailing-slashes.ts"
import { fail } from "../errors.ts"

/** A backslash, a fragment, or an encoded dot, backslash, percent sign or control character. */
const hidden = /[\\#]|%(?:2e|5c|25|[01][\da-f]|7f)/i
/** Some servers cut off what follows a semicolon. */
const dotSegment = /(?:^|\/)\.{1,2}(?:[/;]|$)/

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return fail(
      "bad_request",
      "The path of this request is not valid: its percent-encoding is broken",
    )
  }
}

export interface Target {
  /** As it is judged and as it is sent, percent-encoding included. */
  path: string
  /** With its `?`, or empty. */
  query: string
}

export const readTarget = (target: string): Target => {
  const mark = target.indexOf("?")
  const path = mark < 0 ? target : target.slice(0, mark)
  return {
    path: withoutTrailingSlashes(path) || "/",
    query: mark < 0 ? "" : target.slice(mark),
  }
}

/**
 * What we read and what an upstream reads must be one path.
 * @param namesModel whether it ends in a model's id, in which a slash may be encoded
 * @throws {Failure} `bad_request` for a path that some servers would read as another one
 */
export const refuseAmbiguous = ({ path }: Target, namesModel: boolean): void => {
  const plain = decoded(path)
  const isAmbiguous =
    !path.startsWith("/") ||
    hidden.test(path) ||
    dotSegment.test(plain) ||
    (!namesModel && /%2f/i.test(path))
  if (isAmbiguous) {
    const message =
      "The path of this request can be read in several ways: leave out dot segments, backslashes and encoded slashes, dots and control characters"
    fail("bad_request", message)
  }
}
