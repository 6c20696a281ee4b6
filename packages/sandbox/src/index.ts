export type { LogLine } from "./protocol.ts"
export { createSandbox, type Sandbox } from "./sandbox.ts"
export {
  type FunctionError,
  functionError,
  HostCallError,
  type InvocationResult,
  type RunSession,
} from "./session.ts"
export { createTypeStripper, type TypeStripper } from "./strip-types.ts"
