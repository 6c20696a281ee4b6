/** Reads a stream to its end. @returns all items */
export const collectItems = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}
