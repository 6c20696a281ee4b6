import { IdParams, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import { FunctionRun, TestRunRequest } from "./run-schema.ts"

/** Routes for test runs and the history of runs. */
export const functionRunRoutes = {
  list: route("get", "/api/v1/functions/id/:id/runs", {
    access: "admin",
    summary: "List a function's recent runs with their logs, latest first",
    params: IdParams,
    responses: {
      200: json(Page(FunctionRun), "Up to 50 runs"),
      404: { description: "Function not found" },
    },
  }),
  run: route("post", "/api/v1/functions/id/:id/run", {
    access: "admin",
    grantsPrivileges: true,
    summary:
      "Test a function: streams its response, log and cost; send `content` to test an unsaved source",
    params: IdParams,
    body: TestRunRequest,
    bodyLimits: { maxBytes: 20_000_000 },
    responses: {
      200: {
        description: "Events `started`, `request`, `delta` and `log`, then `result`",
        contentType: "text/event-stream",
      },
      404: { description: "Function not found, and no `content` was sent" },
      422: { description: "The source cannot be loaded; see `errors` for line and column" },
    },
  }),
}
