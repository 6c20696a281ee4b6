import { json, route, success } from "../http/route.ts"
import { WebhookChange, WebhookTest, WebhookView, WebhookWithSecret } from "./schema.ts"

const notFound = { description: "No webhook is set up" }

/** Where the gateway reports events, as Standard Webhooks (https://www.standardwebhooks.com). */
export const webhookRoutes = {
  get: route("get", "/api/v1/webhook", {
    access: "admin",
    summary: "Get the webhook that warnings of limits are sent to",
    responses: { 200: json(WebhookView, "The webhook") },
  }),
  set: route("put", "/api/v1/webhook", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Set the webhook's URL; the first time, this creates the secret that signs events",
    body: WebhookChange,
    responses: { 200: json(WebhookWithSecret, "The webhook; its secret only if it is new") },
  }),
  replaceSecret: route("post", "/api/v1/webhook/secret", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Replace the secret; events are signed with the new one at once",
    responses: { 200: json(WebhookWithSecret, "The webhook with its secret"), 404: notFound },
  }),
  test: route("post", "/api/v1/webhook/test", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Send the event `webhook.test`, and report how the receiver responds",
    responses: { 200: json(WebhookTest, "The result"), 404: notFound },
  }),
  remove: route("delete", "/api/v1/webhook", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete the webhook and the events that wait for it",
    responses: { 200: success("The webhook was deleted"), 404: notFound },
  }),
}
