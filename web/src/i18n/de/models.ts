export const models = {
  "models.title": "Modelle",
  "models.create": "Modell anlegen",
}
