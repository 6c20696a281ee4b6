import { it } from "vitest"
import { isLongForm } from "./test-size.ts"

/** Defines a test that only the long form runs. */
export const itInLongForm = it.runIf(isLongForm)
