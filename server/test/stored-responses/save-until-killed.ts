import { pino } from "pino"
import { readConfig } from "../../src/config/config.ts"
import { createGateway } from "../../src/gateway.ts"
import { exchangeOf } from "./responses.ts"

// Saves responses for USER_ID, and prints the id of each one that is stored.
const gateway = await createGateway(readConfig(), pino({ enabled: false }), {})
for (let n = 0; ; n++) {
  const previous = n === 0 ? null : `r${n - 1}`
  await gateway.storedResponses.save(process.env.USER_ID ?? "", exchangeOf(`r${n}`, { previous }))
  process.stdout.write(`r${n}\n`)
}
