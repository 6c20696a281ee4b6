import { isOutage } from "../db/outages.ts"
import { isWriteConflict } from "../db/write-conflicts.ts"
import { Failure } from "../errors.ts"
import type { SignOnProblem } from "./schema.ts"

/**
 * A sign-in was rejected: the page explains why, and the audit log records the account concerned.
 */
export class SignOnRefusal extends Failure {
  readonly problem: SignOnProblem
  /** The account, if one was found. */
  readonly userId: string | null

  constructor(problem: SignOnProblem, userId: string | null = null, cause?: unknown) {
    super("sign_on_refused", `Sign-in was rejected: ${problem}`, { cause })
    this.name = "Refusal"
    this.problem = problem
    this.userId = userId
  }
}

/** @throws {SignOnRefusal} always */
export const refuseSignOn = (problem: SignOnProblem, userId?: string | null): never => {
  throw new SignOnRefusal(problem, userId)
}

/** The problem to show for an error; undefined for unexpected errors. */
export const signOnProblemOf = (error: unknown): SignOnProblem | undefined => {
  if (error instanceof SignOnRefusal) return error.problem
  return isOutage(error) || isWriteConflict(error) ? "unavailable" : undefined
}
