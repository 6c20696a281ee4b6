export const providers = {
  "providers.choose": "Anbieter",
  "providers.hosted": "In der Cloud",
  "providers.local": "Selbst betrieben",
  "providers.other": "Andere",
  "providers.compatible": "Kompatible API",
}
