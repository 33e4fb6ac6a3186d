import type { Option } from '@commander-js/extra-typings'
import type { ContextSettingsView, Session } from '../../src/index.js'
import { option, parseNumber } from './options.js'
import { oneLine, tell } from './output/output.js'
import { ProgressBar } from './output/progress-bar.js'

const POLL_MS = 200

/** The options that change the chunks of a context. */
export interface ChunkOptions {
  readonly model?: string | undefined
  readonly chunkSize?: number | undefined
  readonly overlap?: number | undefined
}

/** The settings of the options that are given. */
export function chunkSettings({ model, chunkSize, overlap }: ChunkOptions): {
  readonly embeddingModel?: string
  readonly chunkSizeTokens?: number
  readonly overlap?: number
} {
  return {
    ...(model !== undefined && { embeddingModel: model }),
    ...(chunkSize !== undefined && { chunkSizeTokens: chunkSize }),
    ...(overlap !== undefined && { overlap }),
  }
}

type NumberOption<Flags extends string> = Option<Flags, undefined, undefined, number>

/** @param command a part of the name of the variable: one for new contexts must not re-index others */
export function modelOption(command?: string): Option<'--model <id>'> {
  return option('--model <id>', 'embedding model', command)
}

export function chunkSizeOption(command?: string): NumberOption<'--chunk-size <tokens>'> {
  return option('--chunk-size <tokens>', 'most tokens in a chunk', command).argParser(parseNumber)
}

export function overlapOption(command?: string): NumberOption<'--overlap <fraction>'> {
  return option('--overlap <fraction>', 'fraction of a chunk that the next chunk repeats', command).argParser(
    parseNumber,
  )
}

/** Shows how many documents of a context, `name`, are re-indexed. */
export function reindexBar(): ProgressBar {
  return new ProgressBar('{bar} {value}/{total} documents of {name}')
}

/** Waits until no re-index of a context is in progress, or until it has stopped. */
export async function waitForReindex(
  session: Session,
  { id, name }: { readonly id: number; readonly name: string },
): Promise<ContextSettingsView> {
  const bar = reindexBar()
  let told: string | null = null
  try {
    for (;;) {
      const settings = await session.contexts.settings(id)
      const { reindexing } = settings
      if (reindexing?.error !== null) return settings
      const { waiting } = reindexing
      if (waiting !== told) {
        bar.stop()
        tell(oneLine(`${name}: ${waiting ?? 'the re-index goes on'}`))
        told = waiting
      }
      bar.show(reindexing.documentsDone, reindexing.documentsTotal, { name })
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  } finally {
    bar.stop()
  }
}

/** Says how a re-index goes on after an interruption. @param isWorking false if another process works on the folder */
export function tellInterrupted(isWorking: boolean): void {
  const next = isWorking ? 'the next "alcove reindex" or "alcove serve" goes on' : 'the process that serves goes on'
  tell(`interrupted: ${next}; searches use the former settings until then`)
}
