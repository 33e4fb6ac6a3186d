import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import {
  type AlcoveError,
  DataDirUnusableError,
  type Engine,
  type SearchMode,
  type SearchResult,
  type Session,
} from '../../../src/index.js'
import { messageOf } from '../../../src/ports/index.js'
import { codeOf, makeFolder } from '../../node-kit/index.js'
import { loadLocal, ownerSession } from '../engines/engines.js'
import { globalOptions } from '../options.js'
import { oneLine } from '../output/output.js'
import { releasing } from '../releasing.js'

const FOLDERS = ['documents', 'search'].map((name) => {
  return fileURLToPath(new URL(`../../../../examples/${name}/`, import.meta.url))
})

interface Question {
  readonly question: string
  /** Modes that find different passages. Default: the mode of the context. */
  readonly modes?: readonly SearchMode[]
}

const QUESTIONS: readonly Question[] = [
  { question: 'How many weeks of paid leave do new parents get?' },
  { question: 'What do I do when the espresso machine shows error E4?' },
  { question: 'Which supplier delivers oat milk?' },
  // The model knows no codes and no Chinese; the word index finds both.
  { question: 'What does code W-12 mean?', modes: ['semantic', 'hybrid'] },
  { question: '切蛋糕的刀多久洗一次？', modes: ['semantic', 'hybrid'] },
  // The answer shares no word with the question; its meaning finds it.
  { question: 'What should I wear?', modes: ['keyword', 'hybrid'] },
]

const MODES: Readonly<Record<SearchMode, string>> = {
  hybrid: 'by words and meaning (hybrid)',
  semantic: 'by meaning alone (semantic)',
  keyword: 'by words alone (keyword)',
}

export function demoCommand(): CommandUnknownOpts {
  return new Command('demo')
    .description('show what Alcove does: create a context, ingest eight sample documents, ask six questions')
    .action(async (_given, command) => {
      if (command.getOptionValueSourceWithGlobals('dataDir') === 'cli') {
        command.error('error: the demo works in a temporary folder of its own: leave out --data-dir')
      }
      const options = globalOptions(command)
      let folder: Promise<string> | undefined
      let engine: Promise<Engine> | undefined
      await releasing(
        async () => {
          // Created here, so that an interruption always removes it.
          folder = makeDemoFolder(options.tempDir ?? tmpdir())
          engine = openIn(folder)
          await demonstrate(ownerSession(await engine), options.json)
        },
        async () => {
          await engine?.then(
            (opened) => opened.close(),
            () => undefined,
          )
          const made = await folder?.catch(() => undefined)
          if (made !== undefined) await rm(made, { recursive: true, force: true })
        },
      )
    })
}

async function makeDemoFolder(parent: string): Promise<string> {
  try {
    await makeFolder(parent)
    return await mkdtemp(join(parent, 'alcove-demo-'))
  } catch (error) {
    const reason = codeOf(error) ?? messageOf(error)
    const problem = `cannot make a folder for the demo in ${parent} (${reason}): name one that you may write with --temp-dir`
    throw new DataDirUnusableError(problem, { cause: error })
  }
}

async function openIn(folder: Promise<string>): Promise<Engine> {
  const dataDir = await folder
  const { openLocalEngine } = await loadLocal()
  return await openLocalEngine({ dataDir })
}

async function demonstrate(session: Session, json: boolean): Promise<void> {
  const tell = (text: string): boolean => process.stderr.write(`${text}\n`)
  const context = await session.contexts.create({
    name: 'Café handbook',
    description: 'Answer questions of the staff from the handbook of the café.',
    caption: 'Everything a barista needs to know',
    toolsJson: '[]',
    settings: { chunkSizeTokens: 64, overlap: 0.2, topN: 1 },
  })
  for (const file of await exampleFiles()) {
    const fileName = basename(file)
    const uuid = await session.documents.upload(context.id, { fileName, content: createReadStream(file) })
    const { chunks } = await session.documents.whenProcessed(uuid, { onWaiting: giveUp })
    tell(`${fileName}: ${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}`)
  }
  const answers: Answer[] = []
  for (const { question, modes = [] } of QUESTIONS) {
    if (!json) process.stdout.write(`${question}\n`)
    for (const options of modes.length === 0 ? [{}] : modes.map((mode) => ({ mode }))) {
      const answer: Answer = { question, ...options, results: await session.search(context.id, question, options) }
      answers.push(answer)
      if (!json) print(answer)
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(answers)}\n`)
}

/** Nobody makes room for a demonstration: its folder is its own. @throws the reason */
function giveUp(reason: AlcoveError): never {
  throw reason
}

interface Answer {
  readonly question: string
  /** Left out for the mode of the context. */
  readonly mode?: SearchMode
  readonly results: readonly SearchResult[]
}

function print({ mode, results }: Answer): void {
  if (mode !== undefined) process.stdout.write(`${MODES[mode]}:\n`)
  for (const { similarity, content, source } of results) {
    const lines = [`1. ${similarity.toFixed(3)}  ${oneLine(source.displayName)}`, ...twoLinesOf(content)]
    process.stdout.write(`${lines.join('\n')}\n\n`)
  }
}

const LINE_CHARACTERS = 120

/** The beginning of a text, on two lines. */
function twoLinesOf(content: string): readonly string[] {
  const text = oneLine(content.replaceAll(/\s+/g, ' ').trim())
  const first = lineOf(text)
  const second = lineOf(text.slice(first.length).trim())
  const isCut = first.length + second.length + 1 < text.length
  return [first, isCut ? `${second} …` : second].filter((line) => line !== '').map((line) => `   ${line}`)
}

/** As many words as fit on a line. A text without spaces is cut anywhere. */
function lineOf(text: string): string {
  if (text.length <= LINE_CHARACTERS) return text
  const part = text.slice(0, LINE_CHARACTERS)
  const end = part.lastIndexOf(' ')
  return end > LINE_CHARACTERS / 2 ? part.slice(0, end) : part
}

async function exampleFiles(): Promise<string[]> {
  const listed = FOLDERS.map(async (folder) => (await readdir(folder)).sort().map((name) => join(folder, name)))
  return (await Promise.all(listed)).flat()
}
