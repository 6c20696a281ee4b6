export const grants = {
  "grants.everyone": "Alle",
  "grants.some": "Nur ich und ausgewählte Personen",
  "grants.someOnly": "Nur ausgewählte Personen",
  "grants.someGroup": "Eine Gruppe",
  "grants.somebody": "Eine Person",
  "grants.add": "Person oder Gruppe hinzufügen",
  "grants.addGroup": "Eine Ihrer Gruppen hinzufügen",
  "grants.read": "Darf nutzen",
  "grants.write": "Darf ändern",
  "grants.permission": "Zugriff für {name}",
}
