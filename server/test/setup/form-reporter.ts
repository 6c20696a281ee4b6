import type { Reporter } from "vitest/node"
import { summaryOfOmissions } from "./short-form.ts"

/** Prints at the end of a run what the short form omitted, and how to run everything. */
export class FormReporter implements Reporter {
  onTestRunEnd(): void {
    process.stdout.write(summaryOfOmissions)
  }
}
