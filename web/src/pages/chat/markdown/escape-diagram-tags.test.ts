import { expect, it } from "vitest"
import { escapeDiagramTags } from "./escape-diagram-tags.ts"

it.each([
  "A<-->B",
  "A <--> B",
  "A <-.-> B",
  "A <==> B",
  "Animal <|-- Duck",
  "Animal <|.. Duck",
  "A <.. B",
  "A <<->> B",
  "A <<-->> B",
  "a <- contains - b",
  'go<["Next"]>(right)',
  "<<interface>> Shape",
  "class Shape\n  <<interface>>",
  "state fork <<fork>>",
  'A["one<br>two<br/>three<BR />four"]',
])("keeps %s, which Mermaid reads", (source) => {
  expect(escapeDiagramTags(source)).toBe(source)
})

it.each([
  'A["<img src=x onerror=a()>"]',
  'A["<<img src=x onerror=a()>"]',
  'A["<<<img src=x onerror=a()>>>"]',
  'A["<br><svg/onload=a()>"]',
  'A["<!-- a --><?b?></p>"]',
  'A["<<img>>"]',
  'A["<br onclick=a()>"]',
  'A["<--<img src=x>"]',
  'A["<|--<a>"]',
])("escapes tags in %s", (source) => {
  expect(escapeDiagramTags(source)).not.toMatch(/<(?!br\s*\/?>)[a-z/!?]/i)
  expect(escapeDiagramTags(source)).toContain("#lt;")
})
