export const session = {
  "session.ended": "Your session has ended. Sign in again.",
  "session.endedTitle": "Your session has ended",
  "session.endedLead":
    "Sign in as {email} to continue where you left off. What you have typed is kept.",
  "session.someoneElse": "Sign in as someone else",
  "session.signedIn": "You're signed in",
  "session.signedInLead": "Close this tab and return to the page you came from.",
}
