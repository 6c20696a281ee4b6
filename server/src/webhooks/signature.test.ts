import { Webhook } from "standardwebhooks"
import { expect, it } from "vitest"
import { createWebhookSecret, signEvent } from "./signature.ts"

const event = { id: "msg_1", timestamp: Math.floor(Date.now() / 1000), body: '{"type":"a"}' }

it("signs what the official library verifies, and nothing else", () => {
  const secret = createWebhookSecret()
  const headers = signEvent(secret, event)
  const verify =
    (body: string, changes: Record<string, string> = {}, key = secret) =>
    () =>
      new Webhook(key).verify(body, { ...headers, ...changes })
  expect(verify(event.body)()).toEqual({ type: "a" })
  expect(verify('{"type":"b"}')).toThrow("No matching signature")
  expect(verify(event.body, { "webhook-id": "msg_2" })).toThrow("No matching signature")
  expect(verify(event.body, {}, createWebhookSecret())).toThrow("No matching signature")
  const old = String(event.timestamp - 3600)
  expect(verify(event.body, { "webhook-timestamp": old })).toThrow("too old")
})

it("signs like the example of the specification's library", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  const example = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330 }
  expect(signEvent(secret, { ...example, body: '{"test": 2432232314}' })).toEqual({
    "webhook-id": example.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  })
})
