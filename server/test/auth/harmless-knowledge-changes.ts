/** Changes of collections that a limited key may make, because none grants more than the key has. */
export const harmlessKnowledgeChanges = [
  "DELETE /api/v1/knowledge/:id/delete",
  "DELETE /api/v1/knowledge/:id/questions/:question_id",
  "POST /api/v1/knowledge/:id/file/add",
  "POST /api/v1/knowledge/:id/file/remove",
  "POST /api/v1/knowledge/:id/files/batch/add",
  "POST /api/v1/knowledge/:id/query",
  "POST /api/v1/knowledge/:id/questions",
  "POST /api/v1/knowledge/:id/questions/:question_id/update",
  "POST /api/v1/knowledge/:id/questions/import",
  "POST /api/v1/knowledge/:id/questions/run",
  "POST /api/v1/knowledge/:id/reset",
]
