// `npm start`: installs and builds what is not there yet, then serves; `--build` stops before serving.
import { become, install } from "./launch.mjs"
import { buildWeb, webIsStale } from "./web.mjs"

const stale = webIsStale()
await install({ dev: stale })
if (stale) await buildWeb()
if (!process.argv.includes("--build"))
  await become(["server/src/main.ts", ...process.argv.slice(2)])
