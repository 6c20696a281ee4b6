import type {
  CollectionQuestion,
  QuestionRun,
  QuestionSetFile,
  QuestionSetStatus,
  QuestionState,
} from "../../../server/src/knowledge/question-sets/schema.ts"
import { api } from "./api.ts"
import type { BodyFor, QueryFor } from "./api-types.ts"
import { pageQuery, routeQuery } from "./route-query.ts"

export type { CollectionQuestion, QuestionRun, QuestionSetFile, QuestionSetStatus, QuestionState }

const keyOf = (id: string) => ["collections", "one", id, "questions"]

export const questionsQuery = (id: string, query: QueryFor<"/api/v1/knowledge/:id/questions">) =>
  pageQuery([...keyOf(id), "list", query], "/api/v1/knowledge/:id/questions", {
    params: { id },
    query,
  })

/** The latest runs, and whether another one follows. */
export const questionSetStatusQuery = (id: string) =>
  routeQuery([...keyOf(id), "status"], "/api/v1/knowledge/:id/questions/runs", { params: { id } })

export const questionApi = {
  create: (id: string, body: BodyFor<"/api/v1/knowledge/:id/questions">) =>
    api.post("/api/v1/knowledge/:id/questions", { params: { id }, body }),
  update: (
    id: string,
    question_id: string,
    body: BodyFor<"/api/v1/knowledge/:id/questions/:question_id/update">,
  ) =>
    api.post("/api/v1/knowledge/:id/questions/:question_id/update", {
      params: { id, question_id },
      body,
    }),
  remove: (id: string, question_id: string) =>
    api.delete("/api/v1/knowledge/:id/questions/:question_id", { params: { id, question_id } }),
  run: (id: string) => api.post("/api/v1/knowledge/:id/questions/run", { params: { id } }),
  exportAll: (id: string) => api.get("/api/v1/knowledge/:id/questions/export", { params: { id } }),
  importAll: (id: string, body: BodyFor<"/api/v1/knowledge/:id/questions/import">) =>
    api.post("/api/v1/knowledge/:id/questions/import", { params: { id }, body }),
}
