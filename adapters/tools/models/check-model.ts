import { measureSimilarity } from '../../../src/index.js'
import type { EmbeddingModel, SimilarityScale } from '../../../src/ports/index.js'
import { isTokenizer, messageOf, readableText } from '../../../src/ports/index.js'
import { DeviceEmbeddingModel, dimensionsInFiles } from '../../device/index.js'
import { describeModel, type LocalModel } from './list-models.js'

/** One property of a model, and what was found. */
export interface ModelCheck {
  readonly name: string
  readonly isRight: boolean
  readonly found: string
}

/** The costs of a model on this machine, and the answer to whether it works. */
export interface ModelReport extends LocalModel {
  readonly checks: readonly ModelCheck[]
  /** The scale of its similarities, measured now; undefined if the model cannot embed the sample. */
  readonly similarity: SimilarityScale | undefined
  /** True if all checks are right. */
  readonly isUsable: boolean
  /** Memory that the process took while the model was loaded and used, in megabytes. */
  readonly memoryMb: number
  /** Time of the first query, with all that is loaded for it, in milliseconds. */
  readonly loadMs: number
  /** Median time of a query, in milliseconds. */
  readonly queryMs: number
  /** Windows of `measuredTokens` tokens that are embedded in a second, on all cores that the engine uses. */
  readonly windowsPerSecond: number
  /** Tokens of a measured window: the model's limit, or 256. */
  readonly measuredTokens: number
}

const QUERY = 'When does the harbour open for ships in spring?'
const OTHER = 'Parental leave takes eighteen weeks and may be shared.'
const QUERIES = 15
const MEASURED_TOKENS = 256
/** Long enough for a figure that two runs agree on, short enough to wait for. */
const MEASURE_MS = 2_000

/**
 * Loads a model and embeds some texts with it: the answer says if it works here, and what it costs. It writes
 * nothing.
 *
 * @param folder the model's folder
 * @throws ModelError, UnsupportedError for a model that cannot be loaded
 */
export async function checkModel(folder: string): Promise<ModelReport> {
  const described = await describeModel(folder, false)
  const memoryBefore = process.memoryUsage.rss()
  const model = await DeviceEmbeddingModel.open(folder, { isReadOnly: true })
  try {
    await model.verify()
    const [, loadMs] = await timed(async () => await model.embed([QUERY], { kind: 'query' }))
    const checks = [...(await checkVectors(model, await dimensionsInFiles(folder))), await checkLongest(model)]
    const queryMs = await measureQuery(model)
    const { windowsPerSecond, measuredTokens } = await measureWindows(model)
    const memoryMb = Math.max(0, Math.round((process.memoryUsage.rss() - memoryBefore) / 1e6))
    const similarity = await measureSimilarity(model).catch(() => undefined)
    const isUsable = checks.every(({ isRight }) => isRight)
    return { ...described, checks, similarity, isUsable, memoryMb, loadMs, queryMs, windowsPerSecond, measuredTokens }
  } finally {
    await model.close()
  }
}

/** @param given the dimensions of the model's own files: a profile may cut them */
async function checkVectors(model: EmbeddingModel, given: number | undefined): Promise<ModelCheck[]> {
  const { dimensions, normalized } = model.profile
  const embed = async (text: string) => await model.embed([text], { kind: 'query' })
  const [one, again, other] = [await embed(QUERY), await embed(QUERY), await embed(OTHER)]
  const length = Math.hypot(...one)
  const same = cosine(one, again)
  const apart = cosine(one, other)
  const cut = given !== undefined && given > one.length ? `, cut from ${given}` : ''
  return [
    { name: 'dimensions', isRight: one.length === dimensions, found: `${one.length}${cut}` },
    { name: 'finite', isRight: one.every((value) => Number.isFinite(value)), found: `length ${length.toFixed(3)}` },
    ...(normalized ? [{ name: 'normalized', isRight: Math.abs(length - 1) < 1e-3, found: length.toFixed(3) }] : []),
    { name: 'deterministic', isRight: same > 0.999, found: `cosine ${same.toFixed(4)} of one text with itself` },
    { name: 'tells texts apart', isRight: apart < 0.999, found: `cosine ${apart.toFixed(4)} of two texts` },
  ]
}

/** The longest window must run: a wrong limit in a profile shows here, not in the middle of an ingestion. */
async function checkLongest(model: EmbeddingModel): Promise<ModelCheck> {
  const { windowTokens, dimensions } = model.profile
  const name = 'longest window'
  try {
    const text = await textOf(model, windowTokens)
    const vector = await model.embed([text], { kind: 'passage' })
    const isRight = vector.length === dimensions && vector.every((value) => Number.isFinite(value))
    return { name, isRight, found: `${windowTokens} tokens` }
  } catch (error) {
    return { name, isRight: false, found: messageOf(error) }
  }
}

async function measureQuery(model: EmbeddingModel): Promise<number> {
  const times: number[] = []
  for (let query = 0; query < QUERIES; query += 1) {
    const [, ms] = await timed(async () => await model.embed([`${QUERY} ${query}`], { kind: 'query' }))
    times.push(ms)
  }
  return times.sort((one, other) => one - other)[Math.floor(QUERIES / 2)] ?? 0
}

async function measureWindows(
  model: EmbeddingModel,
): Promise<Pick<ModelReport, 'windowsPerSecond' | 'measuredTokens'>> {
  const measuredTokens = Math.min(MEASURED_TOKENS, model.profile.windowTokens)
  const text = await textOf(model, measuredTokens)
  const texts = new Array<string>(2 * (model.concurrency ?? 1)).fill(text)
  // The first call loads the model in the other threads.
  await model.embed(texts, { kind: 'passage' })
  let windows = 0
  const startedAt = performance.now()
  do {
    await model.embed(texts, { kind: 'passage' })
    windows += texts.length
  } while (performance.now() - startedAt < MEASURE_MS)
  const seconds = (performance.now() - startedAt) / 1_000
  return { windowsPerSecond: Math.round((windows / seconds) * 10) / 10, measuredTokens }
}

/** A text that fills a window of so many tokens, or nearly. */
async function textOf(model: EmbeddingModel, tokens: number): Promise<string> {
  const tokenizer = await model.tokenizer()
  const room = tokens - tokenizer.specialTokens - tokenizer.count(model.profile.passagePrefix)
  const perWord = Math.max(1, tokenizer.count('ship'))
  const text = new Array<string>(Math.max(1, Math.floor(room / perWord))).fill('ship').join(' ')
  return isTokenizer(tokenizer) ? readableText(tokenizer, text) : text
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [result: T, ms: number]> {
  const startedAt = performance.now()
  const result = await work()
  return [result, Math.round((performance.now() - startedAt) * 10) / 10]
}

function cosine(one: Float32Array, other: Float32Array): number {
  let dot = 0
  for (const [index, value] of one.entries()) dot += value * (other[index] ?? 0)
  return dot / (Math.hypot(...one) * Math.hypot(...other))
}
