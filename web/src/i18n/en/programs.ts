export const programs = {
  "programs.title": "Connect a program",
  "programs.lead": "Use the models of this server in coding agents, editors, and scripts.",
  "programs.program": "Program",
  "programs.keyHelp":
    "Create a key for this program, or replace {placeholder} below with a key you already have.",
  "programs.keyCreated": "It's part of the lines below. You won't be able to see it again.",
  "programs.restrictKey": "Create a key with an expiry date or restrictions",
  "programs.platform": "Operating system",
  "programs.platform.posix": "macOS or Linux",
  "programs.platform.windows": "Windows (PowerShell)",
  "programs.routeDenied":
    "{name} calls {route}, which this key isn't allowed to use. Create a key that allows this route.",
  "programs.claudeCodeHelp":
    "Run this in the folder of your project. Background tasks and subagents use the same model. If ANTHROPIC_API_KEY is set, unset it first.",
  "programs.codexFileHelp":
    "Add this to the configuration file. In an existing file, the first two lines belong above the first section. To keep Codex's own provider instead, set openai_base_url to the same address and sign in with the key.",
  "programs.codexKeyHelp": "Start Codex with the key in its environment.",
  "programs.cursorHelp":
    "In Cursor's settings, open Models → API Keys. Enter the key and the address, turn both on, and add the model. While the address is overridden, Cursor uses it for all OpenAI models. Requests come from Cursor's servers, so they must be able to reach this address.",
  "programs.continueHelp":
    "Create this file. If it already exists, add only the entry below models.",
  "programs.langchainHelp": "Install the package langchain-openai first.",
  "programs.n8nHelp":
    "Create an OpenAI credential with this key and base URL, and use it in an OpenAI Chat Model node with this model.",
  "programs.sdkHelp": "Install the package openai first.",
}
