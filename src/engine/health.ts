import { AlcoveError } from '../kernel/errors.js'
import type { EngineParts } from './engine-parts.js'

/** The state of an engine. */
export interface Health {
  /** `ok` if all ports are `ok`. */
  readonly status: 'ok' | 'unavailable'
  /**
   * For each port: `ok`, or an error code. `ERR_TIMEOUT` if the port did not answer within 2 s, `ERR_INTERNAL` for an
   * error that is not Alcove's own.
   */
  readonly ports: Readonly<Record<'storage' | 'vectorIndex' | 'lexicalIndex' | 'fileStore' | 'embeddingModels', string>>
}

const PORT_TIMEOUT_MS = 2_000

/** Checks each port by a small read. */
export async function checkHealth(parts: EngineParts): Promise<Health> {
  const [storage, vectorIndex, lexicalIndex, fileStore, embeddingModels] = await Promise.all([
    checkPort(() => parts.storage.read(({ settings }) => settings.get('owner'))),
    checkPort(() => parts.vectorIndex.listCollections()),
    checkPort(() => parts.lexicalIndex.listCollections()),
    checkPort(async () => {
      for await (const _key of parts.fileStore.list()) return
    }),
    checkPort(() => parts.embeddingModels.check()),
  ])
  const ports = { storage, vectorIndex, lexicalIndex, fileStore, embeddingModels }
  return { status: Object.values(ports).every((state) => state === 'ok') ? 'ok' : 'unavailable', ports }
}

/** @returns `ok` or an error code */
async function checkPort(readSomething: () => Promise<unknown>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('ERR_TIMEOUT'), PORT_TIMEOUT_MS)
  })
  const state = readSomething().then(
    () => 'ok',
    (error: unknown) => (error instanceof AlcoveError ? error.code : 'ERR_INTERNAL'),
  )
  try {
    return await Promise.race([state, timeout])
  } finally {
    clearTimeout(timer)
  }
}
