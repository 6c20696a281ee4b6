export const grants = {
  "grants.everyone": "Everyone",
  "grants.some": "Only me and people I choose",
  "grants.someOnly": "Only people I choose",
  "grants.someGroup": "A group",
  "grants.somebody": "A person",
  "grants.add": "Add a person or group",
  "grants.addGroup": "Add one of your groups",
  "grants.read": "Can use",
  "grants.write": "Can edit",
  "grants.permission": "Access for {name}",
}
