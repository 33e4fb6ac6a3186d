/**
 * One step of the search benchmark, in a process of its own: `search-step.ts STEP TASK`, with the task as JSON. Prints
 * its figures as JSON.
 */
import type { CollectionTask, FillFigures, SyntheticCollection } from './search-collection.js'
import type { EngineFigures, EngineTask, FilledContext, FillTask } from './search-engine.js'
import type { KindRow } from './search-kinds.js'
import type { PgVectorFigures, PgVectorTask } from './search-pgvector.js'
import type { PortFigures } from './search-port.js'

/** The input and the figures of each step. */
export interface Steps {
  readonly fillCollection: (task: SyntheticCollection) => Promise<FillFigures>
  readonly searchKinds: (task: CollectionTask) => Promise<readonly KindRow[]>
  readonly searchPort: (task: CollectionTask) => Promise<PortFigures>
  readonly searchPgVector: (task: PgVectorTask) => Promise<PgVectorFigures>
  readonly fillEngine: (task: FillTask) => Promise<FilledContext>
  readonly searchEngine: (task: EngineTask) => Promise<EngineFigures>
}

// Each step imports only its own modules, because its memory is measured.
const STEPS: Steps = {
  fillCollection: async (task) => await (await import('./search-collection.js')).fillCollection(task),
  searchKinds: async (task) => await (await import('./search-kinds.js')).searchKinds(task),
  searchPort: async (task) => await (await import('./search-port.js')).searchPort(task),
  searchPgVector: async (task) => await (await import('./search-pgvector.js')).searchPgVector(task),
  fillEngine: async (task) => await (await import('./search-engine.js')).fillEngine(task),
  searchEngine: async (task) => await (await import('./search-engine.js')).searchEngine(task),
}

const [step = '', task = ''] = process.argv.slice(2)
const work = STEPS[step as keyof Steps] as (task: unknown) => Promise<unknown>
console.log(JSON.stringify(await work(JSON.parse(task))))
