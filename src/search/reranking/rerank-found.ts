import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import type { VisibleChunk } from '../../ports/index.js'
import type { Principal } from '../../tenancy/index.js'
import type { FoundChunks } from '../context-search.js'
import type { PromptTerms } from '../prompt-terms.js'
import { toMapKey } from '../ranking/near-chunks.js'
import type { PlacedChunk } from '../results.js'
import type { SearchRequest } from '../search-input.js'
import type { ReadableChunks } from '../searchable-documents.js'
import { toRerankHit } from './rerank-hit.js'
import type { RerankCandidate, Reranking } from './reranking.js'

/** The chunks of a search in the order of a reranker. */
export interface RerankedFound {
  /** The `topN` best chunks that the caller may still read. */
  readonly found: FoundChunks
  /** Number of chunks that the reranker read. */
  readonly candidates: number
  /** In one sentence; undefined if the reranker made the order. */
  readonly problem: string | undefined
}

/** Orders what a search of one context found. Reads the rights of the caller again after the call of the reranker. */
export async function rerankFound(
  reranking: Reranking,
  readable: ReadableChunks,
  caller: Principal,
  contextId: number,
  found: FoundChunks,
  { prompt, history, topN, taker, signal }: SearchRequest,
): Promise<RerankedFound> {
  const candidates = await rerankCandidates(
    found.ranked,
    found.records,
    ({ terms = found.terms }) => terms,
    new TimeSlice(),
  )
  const { chunks, problem } = await reranking.order({ prompt, history, taker, signal }, candidates)
  const ranked = chunks.slice(0, topN)
  const records = await readable.read(caller, contextId, ranked)
  return { found: { ...found, ranked, records }, candidates: candidates.length, problem }
}

/** @returns the chunks with what a reranker reads of them, without chunks whose text was not read */
export async function rerankCandidates<Chunk extends PlacedChunk>(
  chunks: readonly Chunk[],
  records: readonly VisibleChunk[],
  termsOf: (chunk: Chunk) => PromptTerms,
  slice: TimeSlice,
): Promise<RerankCandidate<Chunk>[]> {
  const recordByKey = new Map(records.map((record) => [toMapKey(record), record]))
  const candidates: RerankCandidate<Chunk>[] = []
  for (const chunk of chunks) {
    const record = recordByKey.get(toMapKey(chunk))
    if (record === undefined || record.content === null) continue
    const read = { ...record, content: record.content }
    candidates.push({ chunk, hit: await toRerankHit(chunk, termsOf(chunk), read, slice) })
  }
  return candidates
}
