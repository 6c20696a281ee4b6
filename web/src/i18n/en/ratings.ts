export const ratings = {
  "ratings.lead":
    "What people think of answers. You see the reason they gave, but not the conversation.",
  "ratings.search": "Search reasons",
  "ratings.value": "Rating",
  "ratings.all": "All ratings",
  "ratings.up": "Good",
  "ratings.down": "Bad",
  "ratings.reason": "Reason",
  "ratings.noReason": "No reason given",
  "ratings.when": "Rated",
  "ratings.none": "No ratings yet",
  "ratings.noneHelp": "Answers that people rate with a thumb up or down appear here.",
}
