import type { TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import type { Fixtures } from "./fixtures.ts"
import type { Recipes } from "./recipes.ts"

/** Requests to the question sets of collections that succeed. */
export const questionRecipes = (gateway: TestGateway, { post }: Fixtures): Recipes => {
  const path = "/api/v1/knowledge/:id/questions"
  const newSet = async () => {
    const { id } = await post("/api/v1/knowledge/create", { name: "Q" })
    const file = await upload(gateway, "note.txt", "A note.")
    await post(`/api/v1/knowledge/${id}/file/add`, { file_id: file.body.id })
    const question = { question: "Which note?", file_id: file.body.id }
    return { questions: `/api/v1/knowledge/${id}/questions`, question }
  }
  const newQuestion = async () => {
    const { questions, question } = await newSet()
    const { id } = await post(questions, question)
    return { questions, one: `${questions}/${id}` }
  }
  return {
    [`POST ${path}`]: async () => {
      const { questions, question } = await newSet()
      return { path: questions, body: question }
    },
    [`POST ${path}/:question_id/update`]: async () => ({
      path: `${(await newQuestion()).one}/update`,
      body: { note: "Another note" },
    }),
    [`DELETE ${path}/:question_id`]: async () => ({ path: (await newQuestion()).one }),
    [`POST ${path}/run`]: async () => ({ path: `${(await newQuestion()).questions}/run` }),
    [`POST ${path}/import`]: async () => ({
      path: `${(await newSet()).questions}/import`,
      body: { questions: [{ question: "Who?", filename: "note.txt" }] },
    }),
  }
}
