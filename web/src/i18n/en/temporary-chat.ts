export const temporaryChat = {
  "temporary.title": "Temporary chat",
  "temporary.lead": "This chat isn't saved. Files you attach stay in your files.",
  "temporary.note": "This chat isn't saved.",
  "temporary.leaveTitle": "Leave this temporary chat?",
  "temporary.leave": "Its messages aren't saved and will be lost.",
  "temporary.leaveAction": "Leave chat",
}
