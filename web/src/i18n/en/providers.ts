export const providers = {
  "providers.choose": "Provider",
  "providers.hosted": "Hosted",
  "providers.local": "Self-hosted",
  "providers.other": "Other",
  "providers.compatible": "Compatible API",
}
