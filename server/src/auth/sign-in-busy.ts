import { Failure } from "../errors.ts"
import { translatable } from "../i18n/message.ts"

export const signInsBusyFailure = (): Failure =>
  new Failure("rate_limited", translatable("sign_in_busy"), {
    headers: { "retry-after": "5" },
  })
