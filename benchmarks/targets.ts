import { CHUNKING_TARGETS } from './chunking-targets.js'
import { MEMORY_TARGETS } from './memory-targets.js'
import { MODEL_TARGETS } from './model-targets.js'
import { RETRIEVAL_TARGETS } from './retrieval-targets.js'
import { SEARCH_TARGETS } from './search-targets.js'
import { SERVICE_TARGETS } from './service-targets.js'
import type { Target } from './target-outcome.js'
import { WORD_TARGETS } from './word-targets.js'

/** All figures that the benchmarks must reach. */
export const TARGETS: readonly Target[] = [
  ...CHUNKING_TARGETS,
  ...MODEL_TARGETS,
  ...MEMORY_TARGETS,
  ...SEARCH_TARGETS,
  ...SERVICE_TARGETS,
  ...WORD_TARGETS,
  ...RETRIEVAL_TARGETS,
]
