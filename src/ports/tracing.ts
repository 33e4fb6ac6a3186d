import type { SpanName } from './spans.js'

/** Values of a span by name. Ids, numbers and stable words; never texts, prompts, tokens, secrets or URLs. */
export type TraceValues = Readonly<Record<string, string | number | boolean>>

/** Options of {@link Tracer.span}. */
export interface SpanOptions {
  /** Values for the span and its histogram. Each has few different values. Default: none. */
  readonly labels?: TraceValues
  /** Values for the span alone. Default: none. */
  readonly attributes?: TraceValues
  /** The W3C `traceparent` of the parent; null for a span without one. Default: the span in which the caller runs. */
  readonly parent?: string | null
}

/** A span while its work runs. */
export interface Span {
  /** The W3C `traceparent` of this span; undefined if nobody traces. */
  readonly traceparent: string | undefined
  /** Adds values for the span and its histogram. */
  label(labels: TraceValues): void
  /** Adds values for the span alone. */
  set(attributes: TraceValues): void
  /** Marks the work as failed, although it does not throw. @param type a stable code */
  fail(type: string): void
}

/** Follows the work of the engine: its duration, its outcome, and what it is a part of. */
export interface Tracer {
  /**
   * Runs work within a span, which ends when the work settles.
   *
   * - Returns what the work returns, or rejects with its error. The tracer itself never throws, and never rejects.
   * - Spans that the work begins are children of this span, also after an `await`.
   * - An invalid `parent` counts as null.
   * - Stores of an error only its code or its name, never its message.
   */
  span<T>(name: SpanName, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** @returns the W3C `traceparent` of the span in which the caller runs; undefined outside of a span */
  traceparent(): string | undefined
}

/** A span of nobody. */
export const NO_SPAN: Span = {
  traceparent: undefined,
  label: () => undefined,
  set: () => undefined,
  fail: () => undefined,
}

/** Runs the work, and observes nothing. */
export const NO_TRACER: Tracer = {
  span: async (_name, _options, work) => await work(NO_SPAN),
  traceparent: () => undefined,
}

const ERROR_TYPE = /^[A-Za-z_]\w{0,63}$/

/** The stable code of an error, or else its name. Never its message, which may contain texts of users. */
export function errorTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'Error'
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  for (const type of [code, name]) if (typeof type === 'string' && ERROR_TYPE.test(type)) return type
  return 'Error'
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/

/** The parts of a W3C `traceparent`. */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  /** Bit 1: the caller has sampled the trace. */
  readonly flags: number
}

/** @returns the parts of a W3C `traceparent`; undefined if it is not valid */
export function parseTraceparent(traceparent: string): TraceParent | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** @returns a W3C `traceparent` of version 00 */
export function formatTraceparent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, '0')}`
}
