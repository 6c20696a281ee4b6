import { it } from "vitest"
import { isLongForm } from "./short-and-long-form.ts"

/** Defines a test that only the long form runs. */
export const itInLongForm = it.runIf(isLongForm)
