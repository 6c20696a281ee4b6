import { Failure } from "../errors.ts"

export const signInsBusy = (): Failure =>
  new Failure("rate_limited", "Too many people sign in at this moment; try again soon", {
    headers: { "retry-after": "5" },
  })
