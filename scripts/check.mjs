// `npm run check`: runs all static checks in parallel.
import { spawn } from "node:child_process"

const biome = "node_modules/@biomejs/biome/bin/biome"
/** Type checks a project incrementally. */
const typesOf = (project) => {
  const buildInfo = `node_modules/.cache/types/${project}.tsbuildinfo`
  const incremental = ["--incremental", "--tsBuildInfoFile", buildInfo]
  return ["node_modules/typescript/bin/tsc", "--project", project, ...incremental]
}
const checks = {
  biome: [biome, "check", "--error-on-warnings"],
  order: ["scripts/import-order.mjs"],
  packages: typesOf("packages"),
  server: typesOf("server"),
  expressions: ["scripts/expressions.mjs"],
  names: ["scripts/names.mjs"],
  knip: ["node_modules/knip/bin/knip.js"],
  web: typesOf("web"),
  e2e: typesOf("web/e2e"),
}

const check = ([name, args]) =>
  new Promise((resolve) => {
    const started = performance.now()
    let output = ""
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text
      })
    }
    child.on("close", (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${code === 0 ? "ok    " : "failed"} ${name} (${seconds} s)`)
      if (code !== 0) console.log(output.trimEnd())
      resolve(code === 0)
    })
  })

const results = await Promise.all(Object.entries(checks).map(check))
process.exitCode = results.every(Boolean) ? 0 : 1
