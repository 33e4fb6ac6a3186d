import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Evaluation } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

const DOCUMENTS: Readonly<Record<string, string>> = {
  'leave.md': `# Leave\n\nNew parents get eighteen weeks of paid leave. ${'Leave is requested in writing. '.repeat(30)}\n\nHolidays that are not taken expire in March.`,
  'machine.md': `# Espresso machine\n\nError E4 means that the water tank is empty. ${'The machine is cleaned each evening. '.repeat(30)}\n\nThe grinder is set to level three.`,
  'suppliers.md': `# Suppliers\n\nOat milk comes from Miller & Co on Tuesdays. ${'Deliveries are counted at the door. '.repeat(30)}\n\nBeans come from a farm in Ethiopia.`,
}

const QUESTIONS = `question;document;passage
How long can new mothers and fathers stay at home?;leave.md;New parents get eighteen weeks of paid leave.
When do unused vacation days lapse?;leave.md;Holidays that are not taken expire in March.
What does E4 mean?;machine.md;
How fine is the coffee ground?;machine.md;The grinder is set to level three.
Who delivers oat milk?;suppliers.md;
Where do the beans come from?;suppliers.md;farm in Ethiopia
`

async function prepare(): Promise<(...args: readonly string[]) => Promise<Outcome>> {
  const cwd = folder.path
  for (const [name, text] of Object.entries(DOCUMENTS)) await writeFile(join(cwd, name), text)
  await writeFile(join(cwd, 'questions.csv'), QUESTIONS)
  const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd })
  await alcove('init')
  await alcove('context', 'create', 'C', '--chunk-size', '300')
  expect(await alcove('ingest', '--context', 'C', ...Object.keys(DOCUMENTS))).toMatchObject({ exitCode: 0 })
  return alcove
}

async function leftFolders(): Promise<string[]> {
  return (await readdir(join(folder.path, 'alcove-data'))).filter((name) => name.startsWith('alcove.evaluation-'))
}

const EVALUATE = ['evaluate', '--context', 'C', '--questions', 'questions.csv'] as const

describe('alcove evaluate', () => {
  it('compares two chunk sizes and all modes, as a table of 100 columns and as JSON', async () => {
    const alcove = await prepare()
    const compared = ['--chunk-size', '300,60', '--mode', 'hybrid,semantic,keyword', '--top-n', '2']
    const shown = await alcove(...EVALUATE, ...compared)
    expect(shown).toMatchObject({ exitCode: 0 })
    expect(shown.stderr).toContain('6 questions about 3 documents, 6 settings\n1 copy of the documents, ')
    expect(shown.stderr).toContain('copying documents: all-MiniLM-L6-v2, 60 tokens, overlap 0.2\n')
    const lines = shown.stdout.split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
    expect(lines[0]).toMatch(/^mode +model +tokens +overlap +docs +chunks +recall@2 +nDCG@2 +hit@1 +ms +change$/)
    expect(lines[1]).toMatch(/^hybrid +all-MiniLM-L6-v2 +300 +0\.2 +3 +\d+ .* now$/)
    expect(lines.slice(1, 7).map((line) => line.split(/ +/)[0])).toEqual([
      'hybrid',
      'semantic',
      'keyword',
      'hybrid',
      'semantic',
      'keyword',
    ])
    expect(shown.stdout).toContain('~: within chance')

    const json = await alcove(...EVALUATE, ...compared, '--json')
    const { settings, ...rest } = JSON.parse(json.stdout) as Evaluation
    expect(rest).toEqual({ contextId: 1, topN: 2, questions: 6 })
    expect(settings).toHaveLength(6)
    expect(Object.keys(settings[0] ?? {})).toEqual([
      'isPresent',
      'mode',
      'embeddingModel',
      'chunkSizeTokens',
      'overlap',
      'documents',
      'chunks',
      'recall',
      'ndcg',
      'mrr',
      'hitAt1',
      'p50Ms',
      'characters',
      'change',
    ])
    // Documents of three chunks each: a search by meaning finds nearly all answers, one by words not those in other words.
    expect(settings[1]?.recall).toBeGreaterThan(0.6)
    expect(settings[3]?.chunks).toBeGreaterThan(settings[0]?.chunks ?? 0)
    expect(await leftFolders()).toEqual([])
  })

  it('names the line and the column of a wrong row, and measures nothing', async () => {
    const alcove = await prepare()
    await writeFile(join(folder.path, 'questions.csv'), `${QUESTIONS}Where is the cake?;cakes.md;\n`)
    expect(await alcove(...EVALUATE)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'alcove: line 8, column document: the context has no document "cakes.md": "alcove documents" lists its documents (ERR_INVALID_INPUT)\n',
    })
    expect(await alcove(...EVALUATE, '--mode', 'fast')).toMatchObject({ exitCode: 2 })
    expect(await alcove(...EVALUATE, '--model', 'none')).toMatchObject({ exitCode: 1, stdout: '' })
  })
})
