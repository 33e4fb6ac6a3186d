import Table from 'cli-table3'
import type { Evaluation, MeasuredSettings } from '../../local/index.js'
import { oneLine } from './output.js'

/** The widest line. */
const MAX_WIDTH = 100
const GAP = 2
const SHORTEST_MODEL = 8

/** The lines that show an evaluation to a person: a table with a row for each settings, and what its signs mean. */
export function evaluationLines({ topN, settings }: Evaluation): string[] {
  const head = [
    'mode',
    'model',
    'tokens',
    'overlap',
    'docs',
    'chunks',
    `recall@${topN}`,
    `nDCG@${topN}`,
    'hit@1',
    'ms',
    'change',
  ]
  const cells = settings.map((row) => cellsOf(row))
  const rows = withShortModels([head, ...cells])
  const table = new Table({
    chars: BORDERLESS,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    colAligns: head.map((_, column) => (column < 2 ? 'left' : 'right')),
  })
  table.push(...rows)
  const lines = table.toString().split('\n')
  return [...lines.map((line) => line.trimEnd()), ...legend(topN, settings)]
}

const BORDERLESS = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
      [side, ''],
      [`${side}-mid`, ''],
      [`${side}-left`, ''],
      [`${side}-right`, ''],
    ]),
  ),
  middle: ' '.repeat(GAP),
}

function cellsOf(row: MeasuredSettings): string[] {
  const { mode, embeddingModel, chunkSizeTokens, overlap, documents, chunks, recall, ndcg, hitAt1, p50Ms } = row
  const scores = [recall, ndcg, hitAt1].map((score) => score.toFixed(3))
  const counts = [chunkSizeTokens, overlap, documents, chunks].map(String)
  return [mode, oneLine(embeddingModel), ...counts, ...scores, p50Ms.toFixed(p50Ms < 10 ? 1 : 0), changeOf(row)]
}

function changeOf({ change }: MeasuredSettings): string {
  if (change === null) return 'now'
  const difference = change.ndcg.toFixed(3).replace('-0.000', '0.000')
  return `${Number(difference) > 0 ? '+' : ''}${difference}${change.isWithinChance ? '~' : ' '}`
}

/** Shortens the names of models at their beginning, where they have their publisher, until a line fits. */
function withShortModels(rows: readonly (readonly string[])[]): string[][] {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const columns = rows[0]?.length ?? 0
  const others = Array.from({ length: columns }, (_, column) => (column === 1 ? 0 : widthOf(column)))
  const room = MAX_WIDTH - GAP * (columns - 1) - others.reduce((sum, width) => sum + width, 0)
  const width = Math.max(SHORTEST_MODEL, room)
  return rows.map((row) =>
    row.map((cell, column) => (column === 1 && cell.length > width ? shorten(cell, width) : cell)),
  )
}

function shorten(name: string, width: number): string {
  return `…${name.slice(1 - width)}`
}

function legend(topN: number, settings: readonly MeasuredSettings[]): string[] {
  const isDoubtful = settings.some(({ change }) => change?.isWithinChance)
  const changes = settings.length > 1 ? [`change: of nDCG@${topN}, compared with the first row`] : []
  const chance = isDoubtful ? ['~: within chance; these questions do not show a difference'] : []
  return ['', ...changes, ...chance, 'ms: median time of a search']
}
