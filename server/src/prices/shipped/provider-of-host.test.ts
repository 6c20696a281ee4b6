import { describe, expect, it } from "vitest"
import { providerOfHost } from "./provider-of-host.ts"

describe("provider of a host", () => {
  it.each([
    ["api.openai.com", "openai"],
    ["eu.api.openai.com", "openai"],
    ["us-east-1.api.x.ai", "xai"],
    ["api.anthropic.com", "anthropic"],
    ["generativelanguage.googleapis.com", "google"],
    ["api.mistral.ai", "mistral"],
    ["openrouter.ai", "openrouter"],
    ["contoso.openai.azure.com", "azure"],
  ])("recognizes %s", (host, provider) => {
    expect(providerOfHost(host)).toBe(provider)
  })

  it.each([
    "127.0.0.1",
    "localhost",
    "api.openai.com.example.org",
    "evil-api.openai.com",
    "a.b.api.openai.com",
    "mistral.ai",
    "constructor",
    "",
  ])("leaves %j without a provider", (host) => {
    expect(providerOfHost(host)).toBeNull()
  })
})
