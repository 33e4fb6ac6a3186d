import type { Recipe } from './soak-documents.js'

/** The points at which the process may kill itself. */
export const HOOKS = [
  'files:written',
  'files:deleting',
  'files:deleted',
  'vectors:added',
  'vectors:deleting',
  'vectors:deleted',
  'collection:dropping',
  'collection:dropped',
  'words:added',
  'words:deleting',
  'words:deleted',
  'words:dropping',
  'words:dropped',
  'compaction:begun',
] as const

export type Hook = (typeof HOOKS)[number]

/** The order to a process of the soak: to act at random, or to finish all work and check the results. */
export interface ChildOrder {
  readonly dataDir: string
  readonly seed: number
  readonly task: 'act' | 'settle'
  /** The process kills itself the n-th time it reaches this hook. */
  readonly hook?: { readonly at: Hook; readonly time: number }
  /** True when some contexts use the bundled model. */
  readonly hasRealModel: boolean
}

/** A call of the engine whose outcome matters. */
export type Call =
  | { readonly type: 'create-context' }
  | { readonly type: 'delete-context'; readonly contextId: number }
  | { readonly type: 'upload'; readonly contextId: number; readonly fileName: string; readonly recipe: Recipe }
  | { readonly type: 'delete-document'; readonly uuid: string }

export type Outcome = { readonly value: string } | { readonly code: string }

/** The messages of the process to its parent. */
export type ChildMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'begin'; readonly id: number; readonly call: Call }
  | { readonly type: 'end'; readonly id: number; readonly outcome: Outcome }
  | { readonly type: 'phase'; readonly phase: string }
  | { readonly type: 'hook'; readonly hook: Hook }
  | { readonly type: 'ghost'; readonly problem: string }
  | { readonly type: 'telemetry'; readonly name: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly type: 'settled'; readonly searched: number; readonly problems: readonly string[] }

/** Sends to the parent, and waits until a kill cannot lose the message. */
export async function tell(message: ChildMessage): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(message, () => resolve()))
}
