import { expect } from "vitest"
import type { TestGateway } from "../harness/gateway.ts"
import type { ApiResponse } from "../harness/test-gateway-process.ts"

const everyone = [{ principal_type: "user", principal_id: "*", permission: "read" }]

/** Creates or updates a function readable by everyone; the id is also its model's id. */
export const saveFunction = async (
  gateway: { call(method: string, path: string, body?: unknown): Promise<ApiResponse> },
  id: string,
  content: string,
  fields: object = {},
): Promise<void> => {
  const input = { id, name: id, content, access_grants: everyone, ...fields }
  const existing = await gateway.call("GET", `/api/v1/functions/id/${id}`)
  const path = existing.status === 200 ? `/id/${id}/update` : "/create"
  const { status, body } = await gateway.call("POST", `/api/v1/functions${path}`, input)
  expect(status, JSON.stringify(body)).toBe(200)
}

/** Deletes all functions, so that none of them affects other tests. */
export const deleteFunctions = async (gateway: TestGateway): Promise<void> => {
  const { items } = (await gateway.call("GET", "/api/v1/functions")).body
  for (const { id } of items) await gateway.call("DELETE", `/api/v1/functions/id/${id}/delete`)
}

/** Requests a chat completion; by default from the administrator and without streaming. */
export const requestCompletion = (
  gateway: TestGateway,
  model: string,
  {
    content = "hello there",
    key,
    ...fields
  }: { content?: string; key?: string; [field: string]: unknown } = {},
) =>
  gateway.call(
    "POST",
    "/v1/chat/completions",
    { model, messages: [{ role: "user", content }], ...fields },
    key === undefined ? {} : { key },
  )

/** Text of the first choice, or the whole body as JSON if there is none. */
export const completionText = ({
  body,
}: {
  body: { choices: { message: { content: string } }[] }
}) => body.choices?.[0]?.message.content ?? JSON.stringify(body)

/** The most recent run of a function. */
export const fetchLastRun = async (gateway: TestGateway, id: string) => {
  const { body } = await gateway.call("GET", `/api/v1/functions/id/${id}/runs`)
  return body.items[0]
}

/** Runs unsaved code and returns the parsed server-sent events. */
export const runTrial = async (gateway: TestGateway, id: string, trial: object) => {
  const { status, body } = await gateway.call("POST", `/api/v1/functions/id/${id}/run`, trial)
  expect(status, JSON.stringify(body)).toBe(200)
  const events = String(body)
    .split("\n\n")
    .filter((event) => event.startsWith("event: "))
    .map((event) => {
      const [, name = "", data = "null"] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? []
      return { name, data: JSON.parse(data) }
    })
  const eventsNamed = (name: string) => events.filter((event) => event.name === name)
  const text = eventsNamed("delta").map(({ data }) => data.content ?? "")
  return { events, eventsNamed, text: text.join(""), result: eventsNamed("result")[0]?.data }
}
