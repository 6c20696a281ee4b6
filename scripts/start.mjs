// `npm start`: installs and builds if necessary, then serves. `--build` exits before serving.
import { compileServer, installDependencies, runOnNode24 } from "./launch.mjs"
import { buildWeb, isWebStale } from "./web.mjs"

const stale = isWebStale()
await installDependencies({ dev: stale })
if (stale) await Promise.all([buildWeb(), compileServer()])
if (!process.argv.includes("--build"))
  await runOnNode24(["server/src/main.ts", ...process.argv.slice(2)])
