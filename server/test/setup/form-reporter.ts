import type { Reporter } from "vitest/node"
import { summaryOfOmissions } from "./forms.ts"

/** Ends the output with what the run left out, and how to run all of it. */
export class FormReporter implements Reporter {
  onTestRunEnd(): void {
    process.stdout.write(summaryOfOmissions)
  }
}
