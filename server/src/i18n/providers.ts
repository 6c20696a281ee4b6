import type { Values } from "./values.ts"

/** Failed responses of providers, which continue "The provider". */
export const providers = {
  provider_named: ({ name }: Values<"name">) => `The provider "${name}"`,
  provider_unnamed: "The provider",
  provider_unreachable: ({ provider }: Values<"provider">) => `${provider} cannot be reached.`,
  provider_reset: ({ provider }: Values<"provider">) =>
    `${provider} closed the connection before responding.`,
  provider_timeout: ({ provider }: Values<"provider">) => `${provider} did not respond in time.`,
  provider_silent: ({ provider }: Values<"provider">) =>
    `${provider} stopped sending in the middle of its response.`,
  provider_interrupted: ({ provider }: Values<"provider">) =>
    `${provider} closed the connection in the middle of its response.`,
  provider_ended_early: ({ provider }: Values<"provider">) =>
    `${provider} ended its response prematurely.`,
  provider_unreadable: ({ provider }: Values<"provider">) =>
    `${provider} sent an unreadable response.`,
  provider_malformed: ({ provider, reason }: Values<"provider" | "reason">) =>
    `${provider} sent an unreadable response: ${reason}.`,
  answer_too_long: "it exceeds 4 MB. The partial answer was saved",
  answer_exceeds_characters: ({ count }: Values<"count">) =>
    `it is longer than ${count} characters`,
  not_a_completion: "it is not a completion",
  provider_content_type: ({ provider, type }: Values<"provider" | "type">) =>
    `${provider} responded with ${type} instead of a completion.`,
  provider_credential_rejected: ({ provider }: Values<"provider">) =>
    `${provider} rejected the gateway's credential. Contact an administrator.`,
  provider_error: "The provider reported an error.",
  provider_unexpected_status: ({ provider, status }: Values<"provider" | "status">) =>
    `${provider} responded with an unexpected status ${status}.`,
  provider_error_unreadable: ({ provider, status }: Values<"provider" | "status">) =>
    `${provider} responded with status ${status} and no readable error message.`,
}
