import type { Schema } from '../api/api.js'

export type SearchMode = Schema<'ContextSettings'>['searchMode']

export const SEARCH_MODES: readonly SearchMode[] = ['hybrid', 'semantic', 'keyword']

/** The settings of one search. Undefined stands for the setting of the context. */
export interface SearchSettings {
  readonly mode: SearchMode | undefined
  readonly topN: number | undefined
  readonly threshold: number | undefined
}

/** Everything that a search needs, and all that its address keeps. */
export interface SearchState {
  readonly contextIds: readonly number[]
  readonly prompt: string
  /** JSON; empty for no filter. */
  readonly filter: string
  readonly settings: SearchSettings
  /** The settings of the second column; undefined without one. */
  readonly other: SearchSettings | undefined
}

/** The most hits of one search. */
export const MAX_TOP_N = 100

/** The most contexts of one search. */
export const MAX_CONTEXTS = 100

/** @param search query of an address. Values that are wrong are left out. */
export function readState(search: string): SearchState {
  const params = new URLSearchParams(search)
  const ids = (params.get('context') ?? '').split(',').map(Number)
  return {
    contextIds: [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))].slice(0, MAX_CONTEXTS),
    prompt: params.get('prompt') ?? '',
    filter: params.get('filter') ?? '',
    settings: readSettings(params, ''),
    other: params.has('compare') ? readSettings(params, '2') : undefined,
  }
}

/** True if a search would not be as the user has set it. */
export function hasWrongSettings({ settings, other }: SearchState): boolean {
  return [settings, other].some(
    (each) =>
      (each?.topN !== undefined && !isTopN(each.topN)) ||
      (each?.threshold !== undefined && !isThreshold(each.threshold)),
  )
}

function isTopN(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_TOP_N
}

function isThreshold(value: number): boolean {
  return value >= 0 && value <= 1
}

/** @returns the query of an address, without its question mark */
export function writeState({ contextIds, prompt, filter, settings, other }: SearchState): string {
  const params = new URLSearchParams()
  // A comma stays readable.
  const context = contextIds.length === 0 ? '' : `context=${contextIds.join(',')}`
  if (prompt !== '') params.set('prompt', prompt)
  writeSettings(params, settings, '')
  if (filter.trim() !== '') params.set('filter', filter)
  if (other !== undefined) {
    params.set('compare', '1')
    writeSettings(params, other, '2')
  }
  return [context, params.toString()].filter((part) => part !== '').join('&')
}

function readSettings(params: URLSearchParams, suffix: string): SearchSettings {
  const topN = numberOf(params.get(`topN${suffix}`))
  const threshold = numberOf(params.get(`threshold${suffix}`))
  return {
    mode: SEARCH_MODES.find((mode) => mode === params.get(`mode${suffix}`)),
    topN: topN !== undefined && isTopN(topN) ? topN : undefined,
    threshold: threshold !== undefined && isThreshold(threshold) ? threshold : undefined,
  }
}

function writeSettings(params: URLSearchParams, settings: SearchSettings, suffix: string): void {
  for (const [name, value] of Object.entries(settings) as [string, string | number | undefined][]) {
    if (value !== undefined) params.set(`${name}${suffix}`, String(value))
  }
}

function numberOf(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
