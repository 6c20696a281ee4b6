export const ratings = {
  "ratings.lead": "Wie Antworten bewertet werden. Sie sehen die Begründung, aber nicht den Chat.",
  "ratings.search": "Begründungen durchsuchen",
  "ratings.value": "Bewertung",
  "ratings.all": "Alle Bewertungen",
  "ratings.up": "Gut",
  "ratings.down": "Schlecht",
  "ratings.reason": "Begründung",
  "ratings.noReason": "Keine Begründung",
  "ratings.when": "Bewertet",
  "ratings.none": "Noch keine Bewertungen",
  "ratings.noneHelp": "Hier erscheinen Antworten, die mit Daumen hoch oder runter bewertet wurden.",
}
