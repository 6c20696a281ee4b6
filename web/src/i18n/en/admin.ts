export const admin = {
  "admin.title": "Administration",
  "users.title": "Users",
  "groups.title": "Groups",
  "connections.title": "Connections",
  "usage.title": "Usage",
  "settings.title": "Settings",
}
