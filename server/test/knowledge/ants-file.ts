import { expect } from "vitest"
import type { TestGateway } from "../harness/gateway.ts"
import { upload } from "./collections.ts"

/** Uploads a file on which models can base the answer to `antsQuestion`. @returns its id */
export const uploadAntsFile = async (gateway: TestGateway): Promise<string> => {
  const query = "?process_in_background=false"
  const text = "Ants follow a trail of pheromones."
  return (await upload(gateway, "ants.txt", text, { query })).body.id
}

/** Fake models repeat it in their answer, which thereby cites the first source. */
export const antsQuestion = "What trail do ants follow? It is in [1]."

/** The file as a source of an answer. */
export const antsSource = {
  source: { id: expect.any(String), name: "ants.txt", type: "file" },
  document: ["Ants follow a trail of pheromones."],
}
