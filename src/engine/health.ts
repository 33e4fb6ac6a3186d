import type { Container } from 'inversify'
import { EmbeddingModels } from '../documents/index.js'
import { AlcoveError } from '../kernel/errors.js'
import { FILE_STORE, LEXICAL_INDEX, STORAGE, VECTOR_INDEX } from './tokens.js'

/** How an engine is. */
export interface Health {
  readonly status: 'ok' | 'unavailable'
  /** For each port `ok`, or the code of what is wrong. */
  readonly ports: Readonly<Record<'storage' | 'vectorIndex' | 'lexicalIndex' | 'fileStore' | 'embeddingModels', string>>
}

const PATIENCE_MS = 2_000

/** Asks each port for something small. */
export async function checkHealth(container: Container): Promise<Health> {
  const [storage, vectorIndex, lexicalIndex, fileStore, embeddingModels] = await Promise.all([
    stateOf(() => container.get(STORAGE).read(({ settings }) => settings.get('owner'))),
    stateOf(() => container.get(VECTOR_INDEX).listCollections()),
    stateOf(() => container.get(LEXICAL_INDEX).listCollections()),
    stateOf(async () => {
      for await (const _key of container.get(FILE_STORE).list()) return
    }),
    stateOf(() => container.get(EmbeddingModels).check()),
  ])
  const ports = { storage, vectorIndex, lexicalIndex, fileStore, embeddingModels }
  return { status: Object.values(ports).every((state) => state === 'ok') ? 'ok' : 'unavailable', ports }
}

async function stateOf(ask: () => Promise<unknown>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('ERR_TIMEOUT'), PATIENCE_MS)
  })
  const asked = ask().then(
    () => 'ok',
    (error: unknown) => (error instanceof AlcoveError ? error.code : 'ERR_INTERNAL'),
  )
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}
