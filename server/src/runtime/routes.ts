import type { Router } from "../http/router.ts"
import type { Runtime } from "./runtime.ts"
export const runtimeRoutes = ({ router }: { router: Router; runtime: Runtime }): Router => router
