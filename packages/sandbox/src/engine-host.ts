/** Reads a string argument. @throws if it has more than `max` characters */
export type ReadString = (max: number) => string

/** What an engine calls outside of it. */
export interface EngineHost {
  /** @throws a string, which becomes an error in the function */
  operate(name: string, read: ReadString): string | undefined
  /** Called every few thousand steps. Returning true ends the run; its code cannot catch that. */
  shouldInterrupt(): boolean
}

/** The host of an engine in which no function runs. */
export const detachedHost: EngineHost = { operate: () => undefined, shouldInterrupt: () => false }
