export const account = {
  "account.title": "Account",
  "account.profile": "Profile",
  "keys.title": "API keys",
  "sessions.title": "Sessions",
}
