/** Languages whose name is not their extension. */
const languagesByExtension: Record<string, readonly string[]> = {
  clj: ["clojure"],
  cpp: ["c++"],
  cs: ["c#", "csharp"],
  erl: ["erlang"],
  ex: ["elixir"],
  fs: ["f#", "fsharp"],
  go: ["golang"],
  hs: ["haskell"],
  jl: ["julia"],
  js: ["javascript"],
  kt: ["kotlin"],
  m: ["objective-c", "objectivec"],
  md: ["markdown"],
  mk: ["makefile"],
  ml: ["ocaml"],
  mmd: ["mermaid"],
  pl: ["perl"],
  ps1: ["powershell"],
  py: ["python"],
  rb: ["ruby"],
  rs: ["rust"],
  sh: ["bash", "console", "shell", "zsh"],
  tex: ["latex"],
  ts: ["typescript"],
  txt: ["plaintext", "text"],
  vb: ["vb.net", "visualbasic"],
  yaml: ["yml"],
}

/** The extension of files in a language that a code block names; "txt" if it is unknown. */
export const extensionOfLanguage = (language: string): string => {
  const name = language.toLowerCase()
  const known = Object.entries(languagesByExtension).find(([, names]) => names.includes(name))
  return known?.[0] ?? (/^[a-z0-9]{1,10}$/.test(name) ? name : "txt")
}
