const maxNames = 50
const maxNameLength = 100

/** Collects the names of attributes that were sent but not stored, up to a limit. */
export class IgnoredAttributes {
  readonly #names = new Set<string>()

  add(name: string): void {
    if (this.#names.size < maxNames) this.#names.add(name.slice(0, maxNameLength))
  }

  names(): string[] {
    return [...this.#names]
  }
}
