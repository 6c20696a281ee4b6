/**
 * Regular expressions that are not linear, or that recheck cannot analyze, and why they are harmless.
 * `source` is null for expressions that are only known at run time.
 */
export const allowed = [
  {
    file: "server/src/conversations/import-export/chat-markdown.ts",
    source: String.raw`^#{1,3} +(you|user|human|assistant|model|ai)\b[^\n]*$`,
    reason: "anchored at the start of a line; no line is read twice",
  },
  {
    file: "server/src/conversations/import-export/chat-markdown.ts",
    source: null,
    reason:
      "the same with another flag, and the marker of an export, which is 12 hexadecimal digits",
  },
  {
    file: "packages/extract/src/extract-blocks.ts",
    source: String.raw`^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,500}?-->\s*)?<(!doctype html|html|head|body)\b`,
    reason: "input limited to 4,096 characters",
  },
  {
    file: "server/src/config/oidc-config.ts",
    source: String.raw`^[^\s@]+\.[^\s@]+$`,
    reason: "an operator's setting",
  },
  {
    file: "web/src/lib/markdown-blocks.ts",
    source: String.raw`\$\$(?:[^$]|\$(?!\$))+\$\$(?=[^\S\n]*(?:\n|$))|(?<!\\)\\\[(?:[^\\]|\\[^[\]])+\\\](?=[^\S\n]*(?:\n|$))`,
    reason: "the reader's own page; each formula ends where the next one begins",
  },
  {
    file: "web/src/pages/chat/citations.ts",
    source: null,
    reason: "a pattern of digits between brackets, in the reader's own page",
  },
  {
    file: "web/src/pages/functions/editor/declarations.ts",
    source: String.raw`\w+\??\s*:\s*(\w+)`,
    reason: "input is the project's own declarations",
  },
  {
    file: "web/src/pages/functions/editor/type-inference.ts",
    source: String.raw`<[\s\S]*>$`,
    reason: "a type in the author's own page",
  },
  {
    file: "web/src/lib/split-at-matches.ts",
    source: null,
    reason: "the searched words, escaped and separated by spaces, in the reader's own page",
  },
  {
    file: "server/src/functions/examples/redact.ts",
    source: String.raw`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}`,
    reason: "runs in a sandbox with a time limit, on the caller's own text",
  },
  {
    file: "server/src/functions/examples/redact.ts",
    source: String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
    reason: "runs in a sandbox with a time limit, on the caller's own text",
  },
  {
    file: "server/src/functions/examples/redact.ts",
    source: String.raw`\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]{16,}`,
    reason: "runs in a sandbox with a time limit, on the caller's own text",
  },
  {
    file: "server/src/functions/examples/redact.ts",
    source: String.raw`\bxox[abeoprs]-[\w-]{10,}`,
    reason: "runs in a sandbox with a time limit, on the caller's own text",
  },
  {
    file: "server/src/functions/examples/redact.ts",
    source: String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
    reason: "runs in a sandbox with a time limit, on the caller's own text",
  },
  {
    file: "server/src/functions/examples/redact.ts",
    source: String.raw`((?:password|passwd|passwort|pwd|secret|token|api[-_ ]?key)["']?\s*[:=]\s*["']?)([^\s"',;]{6,})|(\bBearer\s+)([\w.~+/-]{12,}=*)`,
    reason: "runs in a sandbox with a time limit, on the caller's own text",
  },
  {
    file: "server/src/functions/examples/redact.ts",
    source: null,
    reason: "the author's own pattern, run in a sandbox with a time limit",
  },
  {
    file: "server/src/functions/examples/router.ts",
    source: "```|\\b(function|class|import|SELECT|def)\\b.*[({;]",
    reason: "runs in a sandbox with a time limit, on the caller's own text",
  },
  {
    file: "web/src/pages/chat/mention.ts",
    source: String.raw`(?:^|\s)#([^\s#][^\n#]{0,60}|)$`,
    reason: "the user's own input, in the user's own page",
  },
]
