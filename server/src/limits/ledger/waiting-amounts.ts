/** What requests that wait for a claim would reserve in one account, in the order of their arrival. */
export class WaitingAmounts {
  readonly #amounts: number[] = []
  #sum = 0

  get sum(): number {
    return this.#sum
  }

  add(amount: number): void {
    this.#amounts.push(amount)
    this.#sum += amount
  }

  /** Most requests stop waiting in the order in which they came. */
  remove(amount: number): void {
    const index = this.#amounts.indexOf(amount)
    if (index >= 0) this.#amounts.splice(index, 1)
    this.#sum = this.#amounts.length === 0 ? 0 : this.#sum - amount
  }

  list(): number[] {
    return [...this.#amounts]
  }
}

/**
 * The sum of the amounts that fit one after the other. One that does not fit takes nothing, or a
 * request that is too large would keep others from passing.
 */
export const sumOfFitting = (amounts: readonly number[], left: number): number => {
  let sum = 0
  for (const amount of amounts) if (sum + amount <= left) sum += amount
  return sum
}
