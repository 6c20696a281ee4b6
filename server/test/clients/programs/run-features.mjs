// Runs tests of features, one after the other, and prints why each failed; null if it works.
const describe = (error) => `${error?.stack ?? error}`

/** @param tests functions by the names of features; see ../client.ts */
export const runFeatures = async (tests) => {
  const results = {}
  for (const [feature, test] of Object.entries(tests)) {
    results[feature] = await test().then(() => null, describe)
  }
  console.log(JSON.stringify(results))
}
