import type { Chooser } from "../../test/harness/random.ts"

/** Maximum number of ids per type; the oldest are dropped. */
const maxIds = 300

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= 200 ? value : undefined

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const listIn = (body: unknown): unknown[] => {
  if (Array.isArray(body)) return body
  const lists = ["items", "data", "Resources", "users", "messages", "api_keys"]
  return lists.map((name) => member(body, name)).find(Array.isArray) ?? []
}

/** Collects the ids in replies by resource type, regardless of the caller. */
export const createIds = (random: Chooser) => {
  const idsByNoun = new Map<string, string[]>()

  const add = (noun: string, id: string): void => {
    const known = idsByNoun.get(noun) ?? []
    idsByNoun.set(noun, known)
    if (known.includes(id)) return
    if (known.length < maxIds) known.push(id)
    else known[random.below(maxIds)] = id
  }

  return {
    add,
    /** Collects the ids of a reply. */
    learn: (noun: string, body: unknown): void => {
      for (const value of [body, ...listIn(body).slice(0, 30)]) {
        const id = textOf(member(value, "id"))
        if (id) add(noun, id)
      }
    },
    /** Picks an id of type `noun`; sometimes one of another type, or an invalid one. */
    pick: (noun: string): string => {
      const known = idsByNoun.get(noun) ?? []
      if (known.length > 0 && random.chance(0.85)) return random.pick(known)
      const all = [...idsByNoun.values()].flat()
      if (all.length > 0 && random.chance(0.7)) return random.pick(all)
      return random.word(12)
    },
  }
}

export type Ids = ReturnType<typeof createIds>
