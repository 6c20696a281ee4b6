import { pino } from "pino"
import { readConfig } from "../../src/config/config.ts"
import { createGateway } from "../../src/gateway.ts"
import { exchangeOf, storedResponsesOf } from "./responses.ts"

// Saves responses for USER_ID, and prints the id of each one that is stored.
const gateway = await createGateway(readConfig(), pino({ enabled: false }), {})
const responses = storedResponsesOf({ gateway })
for (let n = 0; ; n++) {
  const previous = n === 0 ? null : `r${n - 1}`
  await responses.save(process.env.USER_ID ?? "", exchangeOf(`r${n}`, { previous }))
  process.stdout.write(`r${n}\n`)
}
