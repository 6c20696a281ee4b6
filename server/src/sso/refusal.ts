import { isOutage } from "../db/connection-errors.ts"
import { isContention } from "../db/contention.ts"
import { Failure } from "../errors.ts"
import type { SignOnProblem } from "./schema.ts"

/** Somebody was not let in; the page says why, and the audit trail whom it concerned. */
export class Refusal extends Failure {
  readonly problem: SignOnProblem
  /** The account, where one was found. */
  readonly userId: string | null

  constructor(problem: SignOnProblem, userId: string | null = null, cause?: unknown) {
    super("sign_on_refused", `Sign-on was refused: ${problem}`, { cause })
    this.name = "Refusal"
    this.problem = problem
    this.userId = userId
  }
}

/** @throws {Refusal} always */
export const refuse = (problem: SignOnProblem, userId?: string | null): never => {
  throw new Refusal(problem, userId)
}

/** What the page is told of an error; undefined for those that nobody foresaw. */
export const problemOf = (error: unknown): SignOnProblem | undefined => {
  if (error instanceof Refusal) return error.problem
  return isOutage(error) || isContention(error) ? "unavailable" : undefined
}
