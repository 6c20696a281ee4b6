import { expect, it } from "vitest"
import { createProxyLookup } from "./proxy-lookup.ts"

const proxies = { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "http://secure:2" }

it.each([
  ["https://api.example.com/v1", [], "http://secure:2"],
  ["http://api.example.com", [], "http://plain:1"],
  ["http://localhost:11434", [], null],
  ["http://ollama.localhost", [], null],
  ["http://127.0.0.2:1", [], null],
  ["http://[::1]:1", [], null],
  ["http://127.example.com", [], "http://plain:1"],
  ["https://api.example.com", ["*"], null],
  ["https://api.example.com", ["example.com"], null],
  ["https://api.example.com", [".example.com"], null],
  ["https://api.example.com", ["*.example.com"], null],
  ["https://badexample.com", ["example.com"], "http://secure:2"],
  ["https://example.com.evil.org", ["example.com"], "http://secure:2"],
  ["https://api.example.com", ["api.example.com:443"], null],
  ["https://api.example.com:8443", ["api.example.com:443"], "http://secure:2"],
  ["http://gpu:8000", ["other", "gpu"], null],
  ["http://[fd00::5]:80", ["[fd00::5]:80"], null],
  ["http://[fd00::5]:80", ["fd00::5"], null],
  ["http://10.1.2.3:80", ["10.0.0.0/8"], null],
  ["http://11.1.2.3:80", ["10.0.0.0/8"], "http://plain:1"],
])("finds the proxy for %s without %j", (url, NO_PROXY, proxy) => {
  expect(createProxyLookup({ ...proxies, NO_PROXY })(new URL(url))).toBe(proxy)
})

it("needs no proxy", () => {
  expect(createProxyLookup({ NO_PROXY: [] })(new URL("https://api.example.com"))).toBeNull()
})
