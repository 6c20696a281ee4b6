import { Failure } from "../errors.ts"

export const signInsBusyFailure = (): Failure =>
  new Failure(
    "rate_limited",
    "Too many people are signing in right now. Try again in a few seconds.",
    {
      headers: { "retry-after": "5" },
    },
  )
