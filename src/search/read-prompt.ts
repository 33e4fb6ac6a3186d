import type { EmbeddingModels } from '../documents/index.js'
import type { TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import type { SimilarityScale, Tracer } from '../ports/index.js'
import type { SimilarityScales } from './floor/similarity-scales.js'
import { type HistoryMessage, historyWords, type WeighedWords } from './history-words.js'
import { embedWindows, PromptKnowledge, type PromptReader } from './prompt.js'
import { PartChoice, type PromptPart, promptParts, wholePart } from './prompt-parts.js'
import type { SearchTurns } from './search-turns.js'
import type { WordMatching } from './word-matching.js'

/** The texts of a prompt, as a search reads them. */
export interface ReadPrompt {
  readonly whole: PromptPart
  /** None for a prompt of one part. */
  readonly parts: readonly PromptPart[]
  /** Words of the messages before it. */
  readonly before: WeighedWords
  /** True if each word stands for itself alone. */
  readonly isExact: boolean
  readonly choice: PartChoice
}

/** A prompt as a caller gives it. */
interface GivenPrompt {
  readonly prompt: string
  /** The messages before it, the oldest first. Default: none. */
  readonly history?: readonly HistoryMessage[] | undefined
  /** Default: `similar`. */
  readonly words?: WordMatching | undefined
}

/** @returns the prompt with its parts, of which none is chosen yet */
export function readPrompt({ prompt, history, words }: GivenPrompt): ReadPrompt {
  const isExact = words === 'exact'
  const exactly = <Words extends WeighedWords>(some: Words): Words => (isExact ? { ...some, similarTo: NONE } : some)
  return {
    whole: exactly(wholePart(prompt)),
    parts: promptParts(prompt).map(exactly),
    before: exactly(historyWords(history)),
    isExact,
    choice: new PartChoice(),
  }
}

const NONE: ReadonlySet<string> = new Set()

/** A prompt with its vectors for one model. */
export interface EmbeddedPrompt {
  /** Waits for the choice of a part, if the prompt has several. */
  readonly vectors: Promise<readonly Float32Array[]>
  readonly knowledge: PromptKnowledge
}

/** The objects that embed prompts. */
interface EmbeddingParts {
  readonly turns: SearchTurns
  readonly tracer: Tracer
  readonly prompts: PromptReader
  readonly scales: SimilarityScales
}

/**
 * Begins to embed a prompt: its windows, or the part that decides together with the window that has it.
 *
 * @param windows the windows of the prompt for this model
 */
export function embedPrompt(
  search: EmbeddingParts,
  model: ReturnType<EmbeddingModels['get']>,
  { whole, parts, choice }: ReadPrompt,
  windows: readonly string[],
  taker: TurnTaker,
  signal: AbortSignal,
): EmbeddedPrompt {
  const embed = async (some: readonly string[]): Promise<readonly Float32Array[]> =>
    await embedWindows(search, model, some, taker, signal)
  const embedChosen = async (): Promise<readonly Float32Array[]> => {
    // A prompt of one window is embedded while the word index is read.
    const early = windows.length > 1 ? undefined : embed(windows)
    early?.catch(() => undefined)
    const part = await choice.settled()
    if (part === whole) return await (early ?? embed(windows))
    const [own = ''] = await search.prompts.read(taker, part.text, model, signal)
    const around = windows.find((window) => window.includes(own)) ?? windows[0] ?? own
    return early === undefined ? await embed([around, own]) : [...(await early), ...(await embed([own]))]
  }
  const vectors = parts.length === 0 ? embed(windows) : embedChosen()
  // Each consumer gets the error; this handler only prevents an unhandled rejection before that.
  vectors.catch(() => undefined)
  const readScale = async (): Promise<SimilarityScale | undefined> =>
    await search.scales.of(model, search.turns.ofModel(model), signal)
  return {
    vectors,
    knowledge: new PromptKnowledge(async () => (await choice.settled()).text, readScale, model),
  }
}
