import { CHUNKING_TARGETS } from '../chunking/chunking-targets.js'
import { MODEL_TARGETS } from '../embedding/model-targets.js'
import { FILTER_TARGETS } from '../filters/filter-targets.js'
import { MEMORY_TARGETS } from '../memory/memory-targets.js'
import { REINDEX_TARGETS } from '../reindex/reindex-targets.js'
import { RETRIEVAL_TARGETS } from '../retrieval-quality/retrieval-targets.js'
import { SEARCH_TARGETS } from '../search/search-targets.js'
import { WORD_TARGETS } from '../words/word-targets.js'
import { SERVICE_TARGETS } from './service-targets.js'
import type { Target } from './target-outcome.js'

/** All figures that the benchmarks must reach. */
export const TARGETS: readonly Target[] = [
  ...CHUNKING_TARGETS,
  ...MODEL_TARGETS,
  ...MEMORY_TARGETS,
  ...SEARCH_TARGETS,
  ...SERVICE_TARGETS,
  ...WORD_TARGETS,
  ...FILTER_TARGETS,
  ...REINDEX_TARGETS,
  ...RETRIEVAL_TARGETS,
]
