import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { MortalProcess } from '../mortal-process.js'
import { SEED, seededRandom } from '../seeded-random.js'
import { DATABASES, type TestDatabase } from '../src/outbox/database.js'
import { temporaryFolder } from '../temporary-folder.js'
import { nameOf, textOf, versionOf } from './replaced-document.js'

const REPLACEMENTS = sized(12, 1_000)
/** A killed process holds its job until the lease ends. In the short form all kills come at once, so one wait is enough. */
const KILLS = IS_FULL_FORM
  ? { killEveryMs: [15_000, 60_000] as const }
  : { killEveryMs: [500, 3_000] as const, mostKills: 1 }
const POLL_MS = 500
const MINUTE_MS = 60_000
const [postgres] = DATABASES.filter(({ name }) => name === 'PostgreSQL')

interface Message {
  readonly searches?: number
  readonly problem?: string
}

/** Replacements that are live although no live version is the one that they replace. */
async function orphans({ knex }: TestDatabase): Promise<unknown[]> {
  const found: unknown[] = await knex('alcove_documents as replacement')
    .whereNotNull('replacement.replaces')
    .whereNull('replacement.deleted')
    .whereNotExists((current) => {
      void current
        .from('alcove_documents as current')
        .whereRaw('?? = ??', ['current.id', 'replacement.replaces'])
        .whereNull('current.deleted')
    })
    .select('replacement.id')
  return found
}

// K1
it.runIf(postgres !== undefined)(
  'a document that is replaced while several processes are killed is found as exactly one version by all of them',
  async () => {
    const database = (await postgres?.openEmpty()) ?? expect.fail()
    const folder = await temporaryFolder()
    const open = async (roles?: readonly []) =>
      await openLocalEngine({
        dataDir: folder.path,
        databaseUrl: database.address,
        embeddingModels: [new MemoryEmbeddingModel()],
        ...(roles && { roles }),
      })
    const engine = await open()
    const session = engine.as(engine.owner)
    const settings = { chunkSizeTokens: 40, overlap: 0, scoreThreshold: 0 }
    const context = await session.contexts.create({
      name: 'C',
      description: '',
      caption: '',
      toolsJson: '[]',
      settings,
    })
    const uuid = await session.documents.upload(context.id, { fileName: nameOf(0), content: textOf(0) })
    const { id } = await session.documents.whenProcessed(uuid)
    await engine.close()

    const problems: string[] = []
    let searches = 0
    const onMessage = (message: unknown): void => {
      const { searches: more = 0, problem } = message as Message
      searches += more
      if (problem !== undefined) problems.push(problem)
    }
    const random = seededRandom(SEED)
    const script = join(import.meta.dirname, 'replace-processes-child.ts')
    const processes = ['writer', 'searcher', 'searcher'].map((role) => {
      return new MortalProcess({ script, args: [database.address, folder.path, role], ...KILLS, random, onMessage })
    })
    const observer = await open([])
    const observed = observer.as(observer.owner)
    const begunAt = performance.now()
    let version = 0
    try {
      for (const each of processes) each.start()
      while (version < REPLACEMENTS && problems.length === 0) {
        await setTimeout(POLL_MS)
        version = versionOf((await observed.documents.get({ contextId: context.id, id })).originalName)
        expect(await orphans(database)).toEqual([])
      }
    } finally {
      await Promise.all(processes.map((each) => each.stop()))
    }
    const seconds = Math.round((performance.now() - begunAt) / 1_000)
    const kills = processes.reduce((sum, { killed }) => sum + killed, 0)
    expect({ seed: SEED, problems, deaths: processes.flatMap(({ deaths }) => deaths) }).toEqual({
      seed: SEED,
      problems: [],
      deaths: [],
    })
    expect(kills).toBeGreaterThanOrEqual(processes.length)
    expect(searches).toBeGreaterThan(REPLACEMENTS)
    if (IS_FULL_FORM)
      process.stdout.write(
        `${version} replacements, ${kills} kills, ${searches} searches in ${seconds} s, seed ${SEED}\n`,
      )
    await observer.close()

    const last = await open()
    const { documents } = last.as(last.owner)
    const document = await documents.get({ contextId: context.id, id })
    // The lease of the last killed process ends first.
    if (document.replacement !== null) await documents.whenProcessed({ contextId: context.id, id })
    expect(await documents.list(context.id)).toMatchObject([{ id, replacement: null }])
    const countRows = async (): Promise<number> => (await database.knex<object>('alcove_documents').select('id')).length
    while ((await countRows()) > 1) await setTimeout(POLL_MS)
    const { problems: found, checked } = await last.administration.verify()
    expect(found).toEqual([])
    expect(checked).toMatchObject({ documents: 1, files: 1, windows: checked.vectors, chunks: checked.indexedChunks })
    await last.close()
    await database.dispose()
    await folder.remove()
  },
  sized(4, 90) * MINUTE_MS,
)
