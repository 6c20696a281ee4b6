import { IdParams, Page } from "../../http/pagination.ts"
import { json, route, success } from "../../http/route.ts"
import {
  CollectionQuestion,
  ExportedQuestionSet,
  ImportedQuestions,
  NewQuestion,
  QuestionChanges,
  QuestionListQuery,
  QuestionParams,
  QuestionSetFile,
  QuestionSetStatus,
} from "./schema.ts"

const collectionNotFound = { description: "Collection not found, or you may not read it" }
const notFound = { description: "Question or collection not found, or you may not read it" }
const readOnly = { description: "You may read the collection, but not change it" }
const limitReached = { description: "The collection has reached the limit of questions" }

/** The routes under `/api/v1/knowledge/{id}/questions`. */
export const questionRoutes = {
  list: route("get", "/api/v1/knowledge/:id/questions", {
    access: "user",
    summary: "List the questions that a collection must answer, with their latest results",
    params: IdParams,
    query: QuestionListQuery,
    responses: {
      200: json(Page(CollectionQuestion), "One page of questions, in order"),
      404: collectionNotFound,
    },
  }),
  create: route("post", "/api/v1/knowledge/:id/questions", {
    access: "user",
    grantsPrivileges: false,
    summary: "Add a question and where its answer is",
    params: IdParams,
    body: NewQuestion,
    responses: {
      200: json(CollectionQuestion, "The new question"),
      403: readOnly,
      404: collectionNotFound,
      409: limitReached,
    },
  }),
  update: route("post", "/api/v1/knowledge/:id/questions/:question_id/update", {
    access: "user",
    grantsPrivileges: false,
    summary: "Change a question; other than with its note, its earlier results are deleted",
    params: QuestionParams,
    body: QuestionChanges,
    responses: {
      200: json(CollectionQuestion, "The changed question"),
      403: readOnly,
      404: notFound,
    },
  }),
  remove: route("delete", "/api/v1/knowledge/:id/questions/:question_id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Delete a question",
    params: QuestionParams,
    responses: { 200: success("The question was deleted"), 403: readOnly, 404: notFound },
  }),
  status: route("get", "/api/v1/knowledge/:id/questions/runs", {
    access: "user",
    summary: "Get the latest runs of a collection's questions, and whether another one follows",
    params: IdParams,
    responses: { 200: json(QuestionSetStatus, "The status"), 404: collectionNotFound },
  }),
  run: route("post", "/api/v1/knowledge/:id/questions/run", {
    access: "user",
    grantsPrivileges: false,
    summary: "Run a collection's questions now",
    params: IdParams,
    responses: {
      200: json(QuestionSetStatus, "The status"),
      403: readOnly,
      404: collectionNotFound,
      409: { description: "The collection has no questions" },
    },
  }),
  export: route("get", "/api/v1/knowledge/:id/questions/export", {
    access: "user",
    summary: "Export a collection's questions",
    params: IdParams,
    responses: { 200: json(ExportedQuestionSet, "The questions"), 404: collectionNotFound },
  }),
  import: route("post", "/api/v1/knowledge/:id/questions/import", {
    access: "user",
    grantsPrivileges: false,
    summary: "Import questions; one with the same text, previous question and file name is updated",
    params: IdParams,
    body: QuestionSetFile,
    bodyLimits: { maxBytes: 20_000_000 },
    responses: {
      200: json(ImportedQuestions, "What was imported"),
      403: readOnly,
      404: collectionNotFound,
      409: limitReached,
    },
  }),
}
