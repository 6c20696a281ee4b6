export const admin = {
  "admin.title": "Verwaltung",
  "users.title": "Benutzer",
  "groups.title": "Gruppen",
  "connections.title": "Verbindungen",
  "usage.title": "Nutzung",
  "settings.title": "Einstellungen",
}
