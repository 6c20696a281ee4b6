/** Extensions of languages whose name is not their extension. */
const extensionByLanguage: Record<string, string> = {
  bash: "sh",
  "c#": "cs",
  "c++": "cpp",
  clojure: "clj",
  console: "sh",
  csharp: "cs",
  dockerfile: "dockerfile",
  elixir: "ex",
  erlang: "erl",
  "f#": "fs",
  fsharp: "fs",
  golang: "go",
  haskell: "hs",
  javascript: "js",
  julia: "jl",
  kotlin: "kt",
  latex: "tex",
  makefile: "mk",
  markdown: "md",
  mermaid: "mmd",
  "objective-c": "m",
  objectivec: "m",
  ocaml: "ml",
  perl: "pl",
  plaintext: "txt",
  powershell: "ps1",
  python: "py",
  ruby: "rb",
  rust: "rs",
  shell: "sh",
  text: "txt",
  typescript: "ts",
  "vb.net": "vb",
  visualbasic: "vb",
  yml: "yaml",
  zsh: "sh",
}

/** The extension of files in a language that a code block names; "txt" if it is unknown. */
export const extensionOfLanguage = (language: string): string => {
  const name = language.toLowerCase()
  const known = Object.hasOwn(extensionByLanguage, name) ? extensionByLanguage[name] : undefined
  return known ?? (/^[a-z0-9]{1,10}$/.test(name) ? name : "txt")
}
