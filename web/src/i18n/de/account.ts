export const account = {
  "account.title": "Konto",
  "account.profile": "Profil",
  "keys.title": "API-Schlüssel",
  "sessions.title": "Sitzungen",
}
