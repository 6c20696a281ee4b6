import type { Router } from "../http/router.ts"
import type { MountedRoute } from "../http/server.ts"

export const docsRoutes = (_router: Router, _routes: readonly MountedRoute[]): void => {}
