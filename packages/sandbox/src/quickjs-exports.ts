/** An address in the engine's memory. JavaScript values are boxed there. */
export type Pointer = number

/** The exports of `quickjs-wasi` 3.6.2 that are used. */
export interface QuickJsExports {
  memory: WebAssembly.Memory
  __stack_pointer: { value: number }
  _initialize(): void
  wasm_malloc(bytes: number): Pointer
  wasm_free(at: Pointer): void
  qjs_init(): number
  qjs_set_memory_limit(bytes: number): void
  qjs_set_max_stack_size(bytes: number): void
  qjs_set_interrupt_handler(on: number): void
  qjs_set_module_loader(on: number): void
  qjs_get_runtime_ptr(): Pointer
  qjs_get_context_ptr(): Pointer
  qjs_set_runtime_and_context(runtime: Pointer, context: Pointer): void
  qjs_compute_memory_usage(to: Pointer): void
  qjs_eval(code: Pointer, length: number, file: Pointer, flags: number): Pointer
  qjs_call(callee: Pointer, self: Pointer, count: number, args: Pointer): Pointer
  qjs_is_job_pending(): number
  qjs_execute_pending_job(): number
  qjs_new_string(text: Pointer, length: number): Pointer
  qjs_new_host_function(name: Pointer, length: number, arity: number): Pointer
  qjs_new_error(): Pointer
  qjs_get_undefined(): Pointer
  qjs_get_string_len(value: Pointer, lengthTo: Pointer): Pointer
  qjs_free_cstring(text: Pointer): void
  qjs_get_float64(value: Pointer): number
  qjs_get_prop_string(value: Pointer, name: Pointer): Pointer
  qjs_set_prop_string(value: Pointer, name: Pointer, to: Pointer): void
  qjs_get_exception(): Pointer
  qjs_throw(value: Pointer): void
  qjs_is_exception(value: Pointer): number
  qjs_is_string(value: Pointer): number
  qjs_dup_value(value: Pointer): Pointer
  qjs_free_value(value: Pointer): void
}
