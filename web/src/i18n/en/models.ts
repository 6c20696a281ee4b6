export const models = {
  "models.title": "Models",
  "models.create": "Create model",
}
