import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Engine, Session } from '../../../src/index.js'
import { ownerSession } from '../engines.js'
import { loadLocal } from '../loading.js'
import { globalOptions } from '../options.js'
import { printPassages } from '../passages.js'
import { releasing } from '../releasing.js'

const DOCUMENTS = fileURLToPath(new URL('../../../../examples/documents/', import.meta.url))

const QUESTIONS = [
  'How many weeks of paid leave do new parents get?',
  'What do I do when the espresso machine shows error E4?',
  'Which supplier delivers oat milk?',
]

export function demoCommand(): CommandUnknownOpts {
  return new Command('demo')
    .description('the main job on documents of its own: a context, six documents, three questions')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      let folder: Promise<string> | undefined
      let engine: Promise<Engine> | undefined
      await releasing(
        async () => {
          // Not before an interruption is listened to.
          folder = mkdtemp(join(tmpdir(), 'alcove-demo-'))
          engine = openIn(folder)
          await demonstrate(ownerSession(await engine), options.json)
        },
        async () => {
          await engine?.then(
            (opened) => opened.close(),
            () => undefined,
          )
          if (folder !== undefined) await rm(await folder, { recursive: true, force: true })
        },
      )
    })
}

async function openIn(folder: Promise<string>): Promise<Engine> {
  const { openLocalEngine } = await loadLocal()
  return await openLocalEngine({ dataDir: await folder })
}

async function demonstrate(session: Session, json: boolean): Promise<void> {
  const tell = (text: string): boolean => process.stderr.write(`${text}\n`)
  const context = await session.contexts.create({
    name: 'Café handbook',
    description: 'Answer questions of the staff from the handbook of the café.',
    caption: 'Everything a barista needs to know',
    toolsJson: '[]',
    settings: { chunkSizeTokens: 200, overlap: 0.2, topN: 1 },
  })
  for (const fileName of (await readdir(DOCUMENTS)).sort()) {
    const content = createReadStream(join(DOCUMENTS, fileName))
    const uuid = await session.documents.upload(context.id, { fileName, content })
    const { chunks } = await session.documents.whenProcessed(uuid)
    tell(`${fileName}: ${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}`)
  }
  const documents = await session.documents.list(context.id)
  const answers = []
  for (const question of QUESTIONS) {
    const results = await session.search(context.id, question)
    answers.push({ question, results })
    if (json) continue
    process.stdout.write(`\n${question}\n`)
    printPassages(results, documents)
  }
  if (json) process.stdout.write(`${JSON.stringify(answers)}\n`)
}
