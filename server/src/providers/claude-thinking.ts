import type { ThinkingSupport } from "../formats/messages/thinking-parameters.ts"

// For servers with Anthropic's API whose model lists do not say what a model accepts.

const versionedName = /claude-[a-z]+-(\d)(?:[.-](\d{1,2})(?!\d))?/i
const olderName = /claude-(?:3[.-]7|4)-/i

/** 100 times the major version and the minor one; 0 for models that are not known to think. */
const thinkingVersionOf = (name: string): number => {
  if (olderName.test(name)) return 400
  const [, major = "0", minor = "0"] = versionedName.exec(name) ?? []
  const version = Number(major) * 100 + Number(minor)
  return version >= 400 ? version : 0
}

/**
 * What a model's name says about its thinking.
 * @see https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
 */
export const thinkingSupportOfName = (name: string): ThinkingSupport => {
  const version = thinkingVersionOf(name)
  if (version === 0) return { supportsEffort: false }
  if (version < 406) return { supportsEffort: false, budget: true }
  const efforts = new Set(["low", "medium", "high", "max"])
  if (version > 406) efforts.add("xhigh")
  return { supportsEffort: true, efforts, adaptive: true, budget: version === 406 }
}
