export const start = {
  "session.signOut": "Sign out",
  "session.signIn": "Sign in",
  "session.signUp": "Create account",
  "session.lead": "Use the account your administrator gave you.",
  "session.email": "Email",
  "session.passwordHelp": "Use at least 8 characters.",
  "session.showPassword": "Show password",
  "session.hidePassword": "Hide password",
  "session.noAccount": "Don't have an account?",
  "session.haveAccount": "Already have an account?",
  "session.signUpLead": "An administrator may need to approve your account before you can use it.",
  "pending.title": "Waiting for approval",
  "pending.lead":
    "An administrator needs to approve your account, {email}. This page continues automatically once it's approved.",
  "welcome.title": "Welcome to Portico",
  "welcome.lead":
    "One address for all your language models. Create the administrator account to get started.",
  "welcome.create": "Create administrator account",
  "welcome.setupCode": "Setup code",
  "welcome.setupCodeHelp":
    "The gateway prints it to its log at startup. It proves that you run this server.",
  "welcome.stepChat": "Chat",
  "welcome.stepDone": "Done:",
  "source.lead": "Connect a runtime on your machine, or a provider with an API key.",
  "source.looking": "Looking for a runtime at {address}",
  "source.found": {
    one: "Found Ollama at {address} with {count} model.",
    other: "Found Ollama at {address} with {count} models.",
  },
  "source.foundEmpty": "Found Ollama at {address}. It has no models yet. Pull one to get started.",
  "source.notFound":
    "No runtime found at {address}. Start Ollama and check again, or connect a provider below.",
  "source.lookAgain": "Check again",
  "source.have": {
    one: "{count} model is ready.",
    other: "{count} models are ready.",
  },
  "source.chat": "Start chatting",
  "source.pull": "Pull a model",
  "source.guide": "Ask the Guide first",
  "source.skip": "Skip for now",
  "source.provider": "Connect a provider",
  "source.providerHelp":
    "Choose one, or enter the address of any server with an OpenAI-compatible API.",
  "source.save": "Connect",
  "session.ended": "Your session has ended. Sign in again.",
  "session.endedTitle": "Your session has ended",
  "session.endedLead":
    "Sign in as {email} to continue where you left off. What you have typed is kept.",
  "session.someoneElse": "Sign in as someone else",
  "session.signedIn": "You're signed in",
  "session.signedInLead": "Close this tab and return to the page you came from.",
}
