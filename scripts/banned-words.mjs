/**
 * Words that must not return in the names of files and identifiers, with the word to use instead.
 * `as` says where a word counts: "word" (the default) as any word of a name, "first" as the first of
 * several words (`mostBytes`), "name" as the whole name (`through`). `allowed` lists names in which
 * the word is the right one: wall-clock time, the lanes of SIMD, the fences of Markdown code blocks.
 */
export const bannedWords = [
  // Invented metaphors
  { word: "wall", use: "sandbox", allowed: ["wall", "wallMs"] },
  { word: "lane", use: "fast path, worker", allowed: ["lane", "forEachLane"] },
  { word: "shelf", use: "cache" },
  {
    word: "fence",
    use: "source prompt",
    allowed: ["fence", "codeFenceOf", "isFenceClosed"],
  },
  { word: "workshop", use: "createFiles" },
  { word: "studio", use: "createFunctions" },
  { word: "roster", use: "list" },
  { word: "carriers", use: "credential source" },
  { word: "furnish", use: "seed" },
  { word: "house", use: "architecture" },
  { word: "guest", use: "run, isolate" },
  { word: "twin", use: "duplicate" },
  { word: "twins", use: "duplicates" },
  { word: "wires", use: "pool" },
  { word: "patience", use: "timeout" },
  { word: "meter", use: "usage recorder" },
  { word: "booked", use: "usage record" },
  { word: "loosely", use: "transactRelaxed" },
  { word: "aside", use: "background reader" },
  // Participles and gerunds that stand in for a noun
  { word: "needs", use: "deps", as: "name" },
  { word: "dependencies", use: "deps", as: "name" },
  { word: "asked", use: "request, query", as: "name" },
  { word: "asking", use: "request", as: "name" },
  { word: "told", use: "reported, notified" },
  { word: "hear", use: "handle, onData" },
  { word: "hears", use: "handler, consumer" },
  { word: "heard", use: "received" },
  { word: "hearing", use: "consumer" },
  { word: "quoted", use: "source passages", as: "name" },
  { word: "lent", use: "lease" },
  { word: "owed", use: "pending" },
  // Adverbs and prepositions for functions
  { word: "through", use: "a verb with an object", as: "name" },
  { word: "around", use: "a verb with an object", as: "name" },
  { word: "again", use: "a verb with an object", as: "name" },
  { word: "within", use: "a verb with an object", as: "name" },
  { word: "without", use: "a verb with an object", as: "name" },
  { word: "beside", use: "a verb with an object", as: "name" },
  { word: "over", use: "onDone, isDone", as: "name" },
  // Variables that say nothing
  { word: "gone", use: "disconnected, deleted" },
  { word: "mine", use: "own", as: "name" },
  // Bounds and defaults
  { word: "most", use: "max", as: "first" },
  { word: "least", use: "min", as: "first", allowed: ["leastBusy"] },
  { word: "longest", use: "max", as: "first", allowed: ["longest-first", "LongestFirst"] },
  { word: "shortest", use: "min", as: "first" },
  { word: "usual", use: "default", as: "first" },
]
